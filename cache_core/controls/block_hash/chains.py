"""The table of hashes: chained, so that a hash stands for all tokens from the start of a key to a block's end."""

from __future__ import annotations

from array import array
from hashlib import blake2b
from typing import cast

from cache_core.backend import MakeHook, Walked
from cache_core.backends.python import RadixTree
from cache_core.controls.block_hash.block import Block
from cache_core.key import Namespace, Parting
from cache_core.node import Node

DIGEST_BYTES = 16


class Chains(RadixTree):
    """The hashed blocks by their hash, and from parent to child for whoever walks them all.

    A hash is trusted only after tokens and parent were compared. Other content behind the same hash is never served;
    it keeps the hash for itself while it lives.
    """

    __slots__ = ("_digest_bytes", "blocks")

    def __init__(
        self,
        page_size: int,
        node_type: type[Node],
        make_hooks: tuple[MakeHook, ...] = (),
        digest_bytes: int = DIGEST_BYTES,
    ) -> None:
        self._digest_bytes = digest_bytes
        super().__init__(page_size, node_type, make_hooks)

    def clear(self, node_type: type[Node]) -> None:
        """Forget every block; later ones are of `node_type`."""
        super().clear(node_type)
        self.blocks: dict[bytes, Block] = {}

    def walk(
        self, tokens: bytes, namespace: Namespace, limit: int, place: object = None, parting: Parting | None = None
    ) -> Walked:
        """Follow a key through the table up to byte `limit` or the first hash that is missing.

        A walk never ends inside a block. It takes no short cut to
        `place`: looking every hash up is what this cache is there to show.
        """
        node: Node = self.root
        size = self.page_bytes
        at = 0
        while at < limit:
            block = self.find(node, tokens[at : at + size], namespace)
            if block is None:
                break
            node = block
            at += size
        return node, at, None, 0

    def find(self, parent: Node, page: bytes, namespace: Namespace) -> Block | None:
        """Return the block of a page that follows `parent`, or None."""
        block = self.blocks.get(self._digest(parent, page, namespace))
        if block is None or block.parent is not parent or block.edge != page:
            return None
        return block if block.namespace.prefix == namespace.prefix else None

    def hang(self, parent: Node, page: bytes, values: array[int], namespace: Namespace) -> Block | None:
        """Give a page that is in no block its hash and return the block; None while other content has that hash."""
        digest = self._digest(parent, page, namespace)
        if digest in self.blocks:
            return None
        block = cast("Block", self.attach(parent, page, values, 0, namespace))
        block.digest = digest
        self.blocks[digest] = block
        return block

    def detach(self, node: Node) -> Node:
        """Take a block's hash; returns its parent."""
        del self.blocks[cast("Block", node).digest]
        return super().detach(node)

    def _digest(self, parent: Node, page: bytes, namespace: Namespace) -> bytes:
        above = namespace.prefix if parent is self.root else cast("Block", parent).digest
        return blake2b(above + page, digest_size=self._digest_bytes).digest()

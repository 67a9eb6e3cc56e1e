"""The blocks of a cache, computed the slow way: every page hashed from the root, straight from the recipe."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable

from cache_core import PrefixCache
from cache_core.key import Namespace
from cache_core.node import Node


def chain(tokens: bytes, page_bytes: int, space: Namespace) -> list[int]:
    """Return the event hash of each page of packed tokens."""
    salt, extra = space.cache_salt, space.extra_key
    digest = hashlib.sha256(b"sglang-cache-salt-v1\0" + salt.encode()).digest() if salt else b""
    found = []
    for at in range(0, len(tokens), page_bytes):
        digest = hashlib.sha256(digest + tokens[at : at + page_bytes]).digest()
        head = digest[:8]
        if extra is not None:
            name = len(extra.encode()).to_bytes(8, "big") + extra.encode() + (salt or "").encode()
            seed = hashlib.sha256(b"sglang-kv-event-namespace-v1\0" + name).digest()
            head = hashlib.sha256(seed + head).digest()[:8]
        found.append(int.from_bytes(head, "big", signed=True))
    return found


def blocks(cache: PrefixCache, has: Callable[[Node], bool] = lambda node: True, at_end: bool = False) -> Counter[int]:
    """Return how often each block is in the nodes of a cache for which `has` holds; or each node's last block."""
    page_bytes = cache.tree.page_bytes
    found: Counter[int] = Counter()
    for node in cache.tree.descend():
        if has(node):
            own = 1 if at_end else len(node.edge) // page_bytes
            found.update(chain(_tokens(node), page_bytes, node.namespace)[-own:])
    return found


def _tokens(node: Node) -> bytes:
    edges = []
    step: Node | None = node
    while step is not None:
        edges.append(step.edge)
        step = step.parent
    return b"".join(reversed(edges))

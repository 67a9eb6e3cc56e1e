"""A block: one full page of tokens with a hash. It is a node of the tree that screens show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cache_core.node import Node

if TYPE_CHECKING:

    class Block(Node):
        """A hashed block as this cache sees it. Its parent is the block before it."""

        digest: bytes

else:
    Block = Node

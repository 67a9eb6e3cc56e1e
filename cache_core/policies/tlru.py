"""Tail-optimised LRU: first goes what a next prompt can miss without being slow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from cache_core.node import Node
from cache_core.policy import Option, Policy, PolicyOptions, Rank

if TYPE_CHECKING:

    class DeepNode(Node):
        """A node that knows how far its branches ever reached: `high_water`, the greatest end, at least its own."""

        high_water: int
        parent: DeepNode | None
else:
    DeepNode = Node


class TLRU(Policy):
    """Orders what is tail-safe first, then by last access.

    See "Tail-Optimized Caching for LLM Inference" (Zhang et al. 2025, arXiv 2510.15152).

    ```
    0          start      end          high_water
    |------------|---------|--- ... ------|--- next prompt ---|
                 |<- computed anew when the node is lost ---->|   tail-safe: at most threshold_tokens
    ```

    Prompts that compute no more than `threshold_tokens` are fast enough. The next one of a conversation is as long as
    its branch ever was, and `next_prompt_tokens` more.
    """

    options: ClassVar[Mapping[str, Option]] = MappingProxyType(
        {"threshold_tokens": Option(2048), "next_prompt_tokens": Option(256)}
    )
    node_fields: ClassVar[tuple[str, ...]] = ("high_water",)
    split_advances: ClassVar[bool] = True

    def __init__(self, given: Mapping[str, int] | PolicyOptions = ()) -> None:
        super().__init__(given)
        self._spare = self.settings["threshold_tokens"] - self.settings["next_prompt_tokens"]

    def rank(self, node: DeepNode) -> Rank:  # type: ignore[override]
        """Return -1 for a tail-safe node and 0 for others, and the last access."""
        return (-1 if node.high_water - node.start <= self._spare else 0, node.access)

    def make(self, node: DeepNode) -> None:  # type: ignore[override]
        """Let a node reach nowhere until it is attached."""
        node.high_water = 0

    def split(self, upper: DeepNode, lower: DeepNode) -> None:  # type: ignore[override]
        """Let the upper part have reached as far as the lower."""
        upper.high_water = lower.high_water

    def attached(self, node: DeepNode) -> None:  # type: ignore[override]
        """Raise the high water of the path, up to the first that has it: a parent's is never below its child's."""
        end = node.end
        while node.parent is not None and node.high_water < end:
            node.high_water = end
            node = node.parent

    def complaints(self, nodes: Iterable[DeepNode]) -> Iterator[str]:  # type: ignore[override]
        """Yield which nodes reached further than they, or their parents, know."""
        for node in nodes:
            if node.high_water < node.end:
                yield f"node {node.id}: high water {node.high_water}, it ends at {node.end}"
            parent = node.parent
            if parent is not None and parent.parent is not None and parent.high_water < node.high_water:
                yield f"node {node.id}: high water {node.high_water} above its parent's {parent.high_water}"

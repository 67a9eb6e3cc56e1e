"""What was evicted and came back soon, found again by its content key.

    evicted        [----- b -----)[--- c ---)         entries b and c, c knows that b is above it
    comes back  [-- a --)[------ c' --------)         one node with the key of c: c, and b above it, are back

Content that comes back in a node that ends where no evicted node ended has a key that nobody knows: such tokens count
as not come back, although their rest may.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from probes.mirror_node import MirrorNode

MOST_FOLLOWED = 1 << 19
"""How many evicted nodes are followed at once, at about 250 bytes each; of more the oldest are given up."""


class Gone(NamedTuple):
    """Tokens [start, end) of a namespace that left at some time, and the key of what was above them."""

    at: int
    start: int
    end: int
    above: int
    namespace: int


class Returns:
    """Follows what left for `within_ns`. One component's data; keys name its content."""

    __slots__ = ("_gone", "_within_ns", "unfollowed_tokens")

    def __init__(self, within_ns: int) -> None:
        self._within_ns = within_ns
        self._gone: dict[int, Gone] = {}
        self.unfollowed_tokens = 0
        """Of what had to be given up before its time was over."""

    def left(self, node: MirrorNode, at: int) -> None:
        """Note that a node's data left."""
        gone = self._gone
        gone.pop(node.content_key, None)
        above = node.parent.content_key if node.parent is not None else 0
        gone[node.content_key] = Gone(at, node.start, node.end, above, node.namespace)
        self._expire(at)

    def came(self, node: MirrorNode, at: int) -> int:
        """Note that a node's data is there, and return how many of its tokens had left a short time ago."""
        gone = self._gone
        if not gone:
            return 0
        tokens, key = 0, node.content_key
        while (entry := gone.get(key)) is not None and entry.end > node.start:
            del gone[key]
            if 0 <= at - entry.at <= self._within_ns:
                tokens += max(0, min(entry.end, node.end) - max(entry.start, node.start))
            key = entry.above
        return tokens

    def split(self, lower: MirrorNode, upper: MirrorNode) -> None:
        """Note that a node was cut that may lack its data: both parts do."""
        entry = self._gone.get(lower.content_key)
        if entry is not None and entry.start < upper.end < entry.end:
            self._gone[lower.content_key] = entry._replace(start=upper.end, above=upper.content_key)
            self._gone[upper.content_key] = entry._replace(end=upper.end)

    def clear(self) -> None:
        """Forget what left."""
        self._gone.clear()

    def undecided_tokens(self, now: int) -> Counter[int]:
        """Return, by namespace, how many tokens left so short a time ago that they may still come back in time."""
        tokens: Counter[int] = Counter()
        for entry in self._gone.values():
            if now - entry.at < self._within_ns:
                tokens[entry.namespace] += entry.end - entry.start
        return tokens

    def _expire(self, at: int) -> None:
        gone = self._gone
        while gone:
            key = next(iter(gone))
            entry = gone[key]
            crowded = len(gone) > MOST_FOLLOWED
            if at - entry.at <= self._within_ns and not crowded:
                return
            if crowded:
                self.unfollowed_tokens += entry.end - entry.start
            del gone[key]

"""One node of the mirror, and the links between nodes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from probes.census import tiers

ROOT = 0
"""The id of the root."""

Segments = tuple[tuple[int, int], ...]
"""(start, label id), ascending; a segment runs to the next one's start."""

MOST_SEGMENTS = 1024
"""How many segments of a node are kept: prompts have a few, but whoever wrote a recording may state any number."""

NO_CHILDREN: Mapping[int, MirrorNode] = MappingProxyType({})
"""The children of every leaf, so that a leaf needs no dict of its own."""


class MirrorNode:
    """A node as the records tell it.

    `live` has a bit per component, `copied` one for each copy in host memory. `anchored` counts the receipts held on
    exactly this node, `locks` those held on it or below. `hits` counts the requests whose match reused it,
    `hit_tokens` and `recomputed_tokens` what they reused of it, after a load from the host too, and what they had to
    compute again. Starts of `segments` are positions in the key. `height` is the number of nodes on the longest way
    down, this one included, `subtree_tokens` the tokens of this node and all below it. `created_at` and `touched_at`
    are -1 when nobody saw it happen.
    """

    __slots__ = (
        "anchored", "children", "content_key", "copied", "created_at", "height", "hit_count", "hit_tokens", "hits",
        "id", "length", "live", "locks", "namespace", "parent", "priority", "recomputed_tokens", "segments", "start",
        "subtree_tokens", "touched_at",
    )  # fmt: skip

    def __init__(self, id_: int, start: int = 0, length: int = 0, at: int = 0) -> None:
        self.id = id_
        self.parent: MirrorNode | None = None
        self.children: Mapping[int, MirrorNode] = NO_CHILDREN
        self.start = start
        self.length = length
        self.content_key = 0
        self.namespace = 0
        self.live = 0
        self.copied = 0
        self.hit_count = 0
        self.priority = 0
        self.anchored = 0
        self.locks = 0
        self.created_at = at
        self.touched_at = at
        self.hits = 0
        self.hit_tokens = 0
        self.recomputed_tokens = 0
        self.height = 1
        self.subtree_tokens = length
        self.segments: Segments = ()

    @property
    def tiers(self) -> int:
        """Where the node's data is, as the census counts it."""
        return tiers(self.live, self.copied)

    @property
    def end(self) -> int:
        """The position in the key behind the node's last token."""
        return self.start + self.length

    def attach(self, child: MirrorNode) -> None:
        """Make `child`, which has no parent, a child of this node."""
        child.parent = self
        if isinstance(self.children, dict):
            self.children[child.id] = child
        else:
            self.children = {child.id: child}
        node: MirrorNode | None = self
        height = child.height + 1
        while node is not None and node.height < height:
            node.height = height
            height += 1
            node = node.parent

    def detach(self, child: MirrorNode) -> None:
        """Take `child` from this node's children."""
        assert isinstance(self.children, dict), f"{self.id=} has no children"
        del self.children[child.id]
        child.parent = None
        if not self.children:
            self.children = NO_CHILDREN
        self._shrink(child.height + 1)

    def hang_below(self, upper: MirrorNode) -> None:
        """Put `upper`, which has no links yet, between this node and its parent."""
        parent = self.parent
        assert parent is not None and isinstance(parent.children, dict), f"{self.id=} hangs nowhere"
        del parent.children[self.id]  # no height falls: the way down is one node longer in a moment
        upper.attach(self)
        parent.attach(upper)

    def _shrink(self, height: int) -> None:
        """Correct the heights from here up after a branch that made this node `height` high is gone."""
        node: MirrorNode | None = self
        while node is not None and node.height == height:
            if any(child.height == height - 1 for child in node.children.values()):
                return
            node.height = 1 + max((child.height for child in node.children.values()), default=0)
            node = node.parent
            height += 1

    def add_locks(self, receipts: int) -> None:
        """Count `receipts` more (or fewer) on the path from here to the root, which itself has no locks."""
        node = self
        while (parent := node.parent) is not None:
            node.locks += receipts
            node = parent

    def add_tokens(self, tokens: int) -> None:
        """Count `tokens` more (or fewer) at and below the nodes from here to the root."""
        node: MirrorNode | None = self
        while node is not None:
            node.subtree_tokens += tokens
            node = node.parent

    def touch(self, at: int) -> None:
        """Note that the path from here to the root was used at `at`."""
        node: MirrorNode | None = self
        while node is not None:
            node.touched_at = at
            node = node.parent

    def reuse(self, at: int, hit_tokens: int) -> None:
        """Count a request that reused the path from the root to here, in all `hit_tokens` tokens of its key."""
        node = self
        tokens = max(0, min(node.length, hit_tokens - node.start))
        while (parent := node.parent) is not None:
            node.touched_at = at
            node.hits += 1
            node.hit_tokens += tokens
            node = parent
            tokens = node.length

    def recompute(self, start: int, end: int) -> None:
        """Count the tokens of positions [start, end) as computed again on the nodes from here up that hold them."""
        node = self
        while (parent := node.parent) is not None and node.end > start:
            node.recomputed_tokens += max(0, min(node.end, end) - max(node.start, start))
            node = parent

    def load(self, at: int, start: int, end: int) -> None:
        """Count a request that reused positions [start, end) of its key once they were back on the device."""
        node = self
        while (parent := node.parent) is not None and node.end > start:
            tokens = min(node.end, end) - max(node.start, start)
            if tokens > 0:
                node.hits += 1
                node.hit_tokens += tokens
                node.touched_at = max(node.touched_at, at)
            node = parent

    def label(self, start: int, label: int) -> None:
        """From `start` on, the node's tokens belong to the segment `label`; past `MOST_SEGMENTS` that is not kept."""
        start = max(start, self.start)
        place = bisect_left(self.segments, (start,))
        after = self.segments[place:]
        if after and after[0][0] == start:
            after = after[1:]
        elif len(self.segments) >= MOST_SEGMENTS:
            return
        self.segments = (*self.segments[:place], (start, label), *after)

    def walk(self) -> Iterator[MirrorNode]:
        """Yield this node and everything below it, parents first. The tree must not change meanwhile."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children.values())


def split_stats(lower: MirrorNode, upper: MirrorNode) -> None:
    """Give `upper`, the first part of `lower`, its share of what was counted on `lower`.

    Called before `lower` is shortened. Whoever reused the lower node reused the upper one too, so hits are copied;
    tokens are divided by length, exactly when every request used the whole node.
    """
    upper.hits = lower.hits
    upper.hit_tokens = lower.hit_tokens * upper.length // lower.length
    upper.recomputed_tokens = lower.recomputed_tokens * upper.length // lower.length
    lower.hit_tokens -= upper.hit_tokens
    lower.recomputed_tokens -= upper.recomputed_tokens
    upper.created_at = lower.created_at
    upper.touched_at = lower.touched_at
    upper.segments, lower.segments = cut_segments(lower.segments, upper.start + upper.length)


def cut_segments(segments: Segments, position: int) -> tuple[Segments, Segments]:
    """Return the segments before and from `position` on; the one that spans it appears on both sides."""
    place = bisect_left(segments, (position,))
    before, after = segments[:place], segments[place:]
    if before and not (after and after[0][0] == position):
        after = ((position, before[-1][1]), *after)
    return before, after

"""The tree of a cache, rebuilt from its records."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ROOT = 0
"""The id of the root."""

NO_CHILDREN: Mapping[int, MirrorNode] = MappingProxyType({})
"""The children of every leaf, so that a leaf needs no dict of its own."""


class MirrorNode:
    """A node as the records tell it.

    `live` has a bit per component. `anchored` counts the receipts held on exactly this node, `locks` those held on
    it or below. `hits` counts the requests whose match reused it, `hit_tokens` and `recomputed_tokens` what they
    reused of it and what they had to compute again. `segments` are (start, label id), ascending; starts are
    positions in the key. `height` is the number of nodes on the longest way down, this one included.
    """

    __slots__ = (
        "anchored",
        "children",
        "content_key",
        "created_at",
        "height",
        "hit_count",
        "hit_tokens",
        "hits",
        "id",
        "length",
        "live",
        "locks",
        "namespace",
        "parent",
        "priority",
        "recomputed_tokens",
        "segments",
        "start",
        "touched_at",
    )

    def __init__(self, id_: int, start: int = 0, length: int = 0, at: int = 0) -> None:
        self.id = id_
        self.parent: MirrorNode | None = None
        self.children: Mapping[int, MirrorNode] = NO_CHILDREN
        self.start = start
        self.length = length
        self.content_key = 0
        self.namespace = 0
        self.live = 0
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
        self.segments: tuple[tuple[int, int], ...] = ()


class Mirror:
    """The nodes by id, the root among them as number 0; `version` grows with every change that shows.

    Consumers read it on the thread that ticks and never write to it.
    """

    def __init__(self) -> None:
        self.root = MirrorNode(ROOT)
        self.nodes: dict[int, MirrorNode] = {ROOT: self.root}
        self.labels: dict[int, str] = {}
        self.namespaces: dict[int, str] = {}
        self.version = 0

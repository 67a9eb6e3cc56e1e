"""One node of the mirror as readers see it, and the nodes by id."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import TypeVar, overload

from probes.mirroring.census import tiers
from probes.mirroring.columns import ROOT as ROOT
from probes.mirroring.columns import Columns
from probes.mirroring.links import at_and_below, children
from probes.mirroring.segments import Segments, segments_of
from probes.mirroring.slots import MASK, SHIFT

T = TypeVar("T")


class MirrorNode:
    """A node as the records tell it: a look at its slot, made when asked for and true until the next record.

    Two looks at one node are equal, and not the same object; the root alone is one. `live` has a bit per component,
    `copied` one for each copy in host memory. `anchored` counts the receipts held on exactly this node, `locks` those
    held on it or below. `hits` counts the requests whose match reused it, `hit_tokens` and `recomputed_tokens` what
    they reused of it, after a load from the host too, and what they had to compute again. Starts of `segments` are
    positions in the key. `height` is the number of nodes on the longest way down, this one included,
    `subtree_tokens` and `subtree_nodes` count this node and all below it. `created_at` and `touched_at` are -1 when
    nobody saw it happen.
    """

    __slots__ = ("_columns", "slot")

    def __init__(self, columns: Columns, slot: int) -> None:
        self._columns = columns
        self.slot = slot

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MirrorNode):
            return NotImplemented
        return self.slot == other.slot and self._columns is other._columns

    def __hash__(self) -> int:
        return hash((id(self._columns), self.slot))

    def __repr__(self) -> str:
        return f"<node {self.id} of {self.length} tokens at {self.start}>"

    @property
    def id(self) -> int:
        """The number that the records call it by."""
        return self._columns.id[self.slot]

    @property
    def parent(self) -> MirrorNode | None:
        """The node above, None above the root."""
        columns = self._columns
        above = columns.parent[self.slot]
        if above > ROOT:
            return MirrorNode(columns, above)
        return None if above < 0 else columns.root

    @property
    def parent_key(self) -> int:
        """The content key of the node above, 0 of what hangs below the root."""
        columns = self._columns
        return columns.content_key[columns.parent[self.slot]] if self.slot else 0

    @property
    def children(self) -> Children:
        """The nodes right below, by id."""
        return Children(self._columns, self.slot)

    @property
    def start(self) -> int:
        """The position in the key of the node's first token."""
        return self._columns.start[self.slot]

    @property
    def length(self) -> int:
        """The node's tokens."""
        return self._columns.length[self.slot]

    @property
    def end(self) -> int:
        """The position in the key behind the node's last token."""
        return self._columns.start[self.slot] + self._columns.length[self.slot]

    @property
    def content_key(self) -> int:
        """The hash of all tokens from the root to the node's end."""
        return self._columns.content_key[self.slot]

    @property
    def namespace(self) -> int:
        """The id of its namespace."""
        return self._columns.namespace[self.slot]

    @property
    def live(self) -> int:
        """Which components are on the device."""
        return self._columns.live[self.slot]

    @property
    def copied(self) -> int:
        """Which components have a copy on the host."""
        return self._columns.copied[self.slot]

    @property
    def tiers(self) -> int:
        """Where the node's data is, as the census counts it."""
        return tiers(self._columns.live[self.slot], self._columns.copied[self.slot])

    @property
    def hit_count(self) -> int:
        """The cache's own count of hits."""
        return self._columns.hit_count[self.slot]

    @property
    def priority(self) -> int:
        """The cache's priority."""
        return self._columns.priority[self.slot]

    @property
    def anchored(self) -> int:
        """Receipts on exactly this node."""
        return self._columns.anchored[self.slot]

    @property
    def locks(self) -> int:
        """Receipts on this node or below."""
        return self._columns.locks[self.slot]

    @property
    def created_at(self) -> int:
        """When it was made."""
        return self._columns.created_at[self.slot]

    @property
    def touched_at(self) -> int:
        """When it or a node below was used last; set where a tree is made up."""
        return self._columns.touched_at_of(self.slot)

    @touched_at.setter
    def touched_at(self, at: int) -> None:
        self._columns.touched_at[self.slot] = at

    @property
    def hits(self) -> int:
        """Requests that reused it; set where a tree is made up."""
        return self._columns.hits[self.slot]

    @hits.setter
    def hits(self, requests: int) -> None:
        self._columns.hits[self.slot] = requests

    @property
    def hit_tokens(self) -> int:
        """What they reused of it."""
        columns, slot = self._columns, self.slot
        return columns.hits[slot] * columns.length[slot] - columns.unused_tokens[slot]

    @property
    def recomputed_tokens(self) -> int:
        """What they computed again."""
        return self._columns.recomputed_tokens[self.slot]

    @property
    def height(self) -> int:
        """Nodes on the longest way down."""
        return self._columns.height[self.slot]

    @property
    def subtree_tokens(self) -> int:
        """Tokens at and below."""
        return self._columns.subtree_tokens[self.slot]

    @property
    def subtree_nodes(self) -> int:
        """Nodes at and below."""
        return self._columns.subtree_nodes[self.slot]

    @property
    def segments(self) -> Segments:
        """The named segments of its tokens."""
        return segments_of(self._columns, self.slot)

    def walk(self) -> Iterator[MirrorNode]:
        """Yield this node and everything below it, parents first. The tree must not change meanwhile."""
        return (node_at(self._columns, slot) for slot in at_and_below(self._columns, self.slot))


class Nodes(Mapping[int, MirrorNode]):
    """All nodes by id, the root among them."""

    __slots__ = ("_columns", "_pages")

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._pages = columns.pages
        columns.root = MirrorNode(columns, ROOT)

    def __getitem__(self, id_: int) -> MirrorNode:
        slot = self._columns.slot_of(id_)
        if slot < 0:
            raise KeyError(id_)
        return node_at(self._columns, slot)

    @overload
    def get(self, id_: int, /) -> MirrorNode | None: ...
    @overload
    def get(self, id_: int, /, default: MirrorNode | T) -> MirrorNode | T: ...
    def get(self, id_: int, /, default: MirrorNode | T | None = None) -> MirrorNode | T | None:
        """Return a node, or `default` when there is none of that id."""
        slot = self._pages[id_ >> SHIFT][id_ & MASK]
        if slot > ROOT:
            return MirrorNode(self._columns, slot)
        return default if slot < 0 else self._columns.root

    def __contains__(self, id_: object) -> bool:
        return isinstance(id_, int) and self._pages[id_ >> SHIFT][id_ & MASK] >= 0

    def __len__(self) -> int:
        return self._columns.count

    def __iter__(self) -> Iterator[int]:
        id_ = self._columns.id
        return (id_[slot] for slot in self._columns.slots())

    def values(self) -> ValuesView[MirrorNode]:
        """Return every node, the root first. The tree must not change while one goes through them."""
        return _Values(self)

    def items(self) -> ItemsView[int, MirrorNode]:
        """Return every id and node, the root's first. The tree must not change while one goes through them."""
        return _Items(self)

    def each(self) -> Iterator[MirrorNode]:
        """Yield every node, the root first."""
        return (node_at(self._columns, slot) for slot in self._columns.slots())


class Children(Mapping[int, MirrorNode]):
    """The children of one node by id, the newest first."""

    __slots__ = ("_columns", "_slot")

    def __init__(self, columns: Columns, slot: int) -> None:
        self._columns = columns
        self._slot = slot

    def __getitem__(self, id_: int) -> MirrorNode:
        slot = self._columns.slot_of(id_)
        if slot < 0 or self._columns.parent[slot] != self._slot:
            raise KeyError(id_)
        return node_at(self._columns, slot)

    def __len__(self) -> int:
        return self._columns.child_count[self._slot]

    def __iter__(self) -> Iterator[int]:
        id_ = self._columns.id
        return (id_[slot] for slot in children(self._columns, self._slot))

    def values(self) -> ValuesView[MirrorNode]:
        """Return every child."""
        return _Values(self)

    def items(self) -> ItemsView[int, MirrorNode]:
        """Return the id and the node of every child."""
        return _Items(self)

    def each(self) -> Iterator[MirrorNode]:
        """Yield every child."""
        return (node_at(self._columns, slot) for slot in children(self._columns, self._slot))


class _Values(ValuesView[MirrorNode]):
    """Nodes without looking each up again."""

    _mapping: Nodes | Children

    def __iter__(self) -> Iterator[MirrorNode]:
        return self._mapping.each()


class _Items(ItemsView[int, MirrorNode]):
    """Ids and nodes without looking each up again."""

    _mapping: Nodes | Children

    def __iter__(self) -> Iterator[tuple[int, MirrorNode]]:
        return ((node.id, node) for node in self._mapping.each())


def node_at(columns: Columns, slot: int) -> MirrorNode:
    """Return the node of a slot; the root is always the same object."""
    return MirrorNode(columns, slot) if slot else columns.root

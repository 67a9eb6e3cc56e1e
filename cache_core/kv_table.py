"""Every node as KV events know it: the digests of its pages and where copies of them are. Turns changes into events.

The table follows the tree change by change, so nothing is computed twice: a new node goes on from its parent's last
digest, and a split divides digests that are there already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from cache_core.key import TOKEN_BYTES, Namespace
from cache_core.kv_blocks import MEDIA, AllBlocksCleared, BlockRemoved, BlockStored, Group, KVEvent
from cache_core.kv_hashes import DIGEST_BYTES, chain_seed, event_hashes, page_digests

DEVICE, HOST = range(len(MEDIA))


@dataclass(frozen=True, slots=True)
class Told:
    """A component that events tell of. State that belongs to a node's end, `at_end`, is one block per node."""

    group: Group | None = None
    at_end: bool = False


@dataclass(frozen=True, slots=True)
class PageShape:
    """How many units a page has, and how many bytes a unit."""

    units: int
    unit_bytes: int = TOKEN_BYTES

    @property
    def bytes(self) -> int:
        """Bytes of a page on an edge."""
        return self.units * self.unit_bytes


class _Pages:
    """The pages of one node; `live` has a bit per component and medium (`_bit`)."""

    __slots__ = ("digests", "edge", "live", "namespace", "parent_hash", "start")

    def __init__(self, namespace: Namespace, start: int, edge: bytes) -> None:
        self.namespace = namespace
        self.start = start
        self.edge = edge
        self.digests = b""
        self.parent_hash: int | None = None
        self.live = 0

    def last_hash(self) -> int:
        """Return the event hash of the last page."""
        return event_hashes(self.digests[-DIGEST_BYTES:], self.namespace)[0]


class KVBlockTable:
    """Applies the changes of a tree in the order in which they came about, and puts the events that tell of them.

    A change that is known already, such as the loss of what is not there, tells nothing.
    """

    __slots__ = ("_nodes", "_page", "_put", "_told")

    def __init__(self, page: PageShape, told: Mapping[int, Told], put: Callable[[KVEvent], None]) -> None:
        self._page = page
        self._told = told
        self._put = put
        self._nodes: dict[int, _Pages] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def added(self, node: int, parent: int, pages: tuple[Namespace, int, bytes], components: int) -> None:
        """Add a node (namespace, start, edge) with a bit in `components` for each that is live on the device."""
        space, start, edge = pages
        new = self._nodes[node] = _Pages(space, start, edge)
        above = self._nodes.get(parent)
        before = chain_seed(space.cache_salt) if above is None else above.digests[-DIGEST_BYTES:]
        new.digests = page_digests(before, edge, self._page.bytes)
        new.parent_hash = None if above is None else above.last_hash()
        self.loaded(node, components)

    def split(self, upper: int, lower: int, edges: tuple[bytes, bytes]) -> None:
        """Divide a node; blocks stay where they are, so this tells nothing."""
        below = self._nodes[lower]
        above = self._nodes[upper] = _Pages(below.namespace, below.start, edges[0])
        cut = len(edges[0]) // self._page.bytes * DIGEST_BYTES
        above.digests, below.digests = below.digests[:cut], below.digests[cut:]
        above.parent_hash, below.parent_hash = below.parent_hash, above.last_hash()
        above.live = below.live & ~self._bits_at_end()
        below.start += len(edges[0]) // self._page.unit_bytes
        below.edge = edges[1]

    def removed(self, node: int) -> None:
        """Forget a node and tell of every copy of its blocks."""
        for component in self._told:
            for medium in (DEVICE, HOST):
                self.lost(node, component, medium)
        del self._nodes[node]

    def cleared(self) -> None:
        """Forget everything."""
        self._nodes.clear()
        self._put(AllBlocksCleared())

    def gained(self, node: int, component: int, medium: int) -> None:
        """Tell that a component's blocks of a node came to be on a medium."""
        pages = self._nodes[node]
        if component in self._told and not pages.live & _bit(component, medium):
            pages.live |= _bit(component, medium)
            self._put(self._stored(pages, component, medium))

    def lost(self, node: int, component: int, medium: int) -> None:
        """Tell that a component's blocks of a node are gone from a medium."""
        pages = self._nodes[node]
        if component in self._told and pages.live & _bit(component, medium):
            pages.live &= ~_bit(component, medium)
            told = self._told[component]
            digests = pages.digests[-DIGEST_BYTES:] if told.at_end else pages.digests
            hashes = tuple(event_hashes(digests, pages.namespace))
            self._put(BlockRemoved(hashes, MEDIA[medium], told.group))

    def loaded(self, node: int, components: int) -> None:
        """Tell of the device copies of every component with a bit in `components`."""
        for component in self._told:
            if components >> component & 1:
                self.gained(node, component, DEVICE)

    def unloaded(self, node: int) -> None:
        """Tell that no component has device copies of a node any more."""
        for component in self._told:
            self.lost(node, component, DEVICE)

    def states(self) -> Iterator[KVEvent]:
        """Yield what is there, from nothing: parents before children."""
        yield AllBlocksCleared()
        for pages in sorted(self._nodes.values(), key=_start):
            for component in self._told:
                for medium in (DEVICE, HOST):
                    if pages.live & _bit(component, medium):
                        yield self._stored(pages, component, medium)

    def _stored(self, pages: _Pages, component: int, medium: int) -> BlockStored:
        told = self._told[component]
        parent, digests, tokens = pages.parent_hash, pages.digests, pages.edge
        if told.at_end:
            before = digests[-2 * DIGEST_BYTES : -DIGEST_BYTES]
            parent = event_hashes(before, pages.namespace)[0] if before else parent
            digests, tokens = digests[-DIGEST_BYTES:], tokens[-self._page.bytes :]
        space = pages.namespace
        return BlockStored(
            block_hashes=tuple(event_hashes(digests, space)),
            parent_block_hash=parent,
            tokens=tokens,
            block_size=self._page.units,
            medium=MEDIA[medium],
            cache_salt=space.cache_salt,
            lora_name=space.extra_key,
            group=told.group,
            bigram=self._page.unit_bytes > TOKEN_BYTES,
        )

    def _bits_at_end(self) -> int:
        return sum(
            _bit(component, medium)
            for component, told in self._told.items()
            if told.at_end
            for medium in (DEVICE, HOST)
        )


def _bit(component: int, medium: int) -> int:
    return 1 << component * len(MEDIA) + medium


def _start(pages: _Pages) -> int:
    return pages.start

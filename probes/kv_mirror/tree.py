"""The blocks of a rank as a tree of nodes, told in records: with them an engine's cache shows in every screen.

Blocks that were stored together are one node. One that stands below the middle of a node splits it, as a radix tree
does. Nodes whose parent nobody told of begin at the root until it is told. Removing a block that has others below it
leaves a tombstone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Protocol

from cache_core.events import CacheReset, NodeAdded, NodeRemoved, NodeSplit, NodeTiers, Record
from probes.kv.wire import DEVICE, Event, Removed, Stored, signed_word
from probes.kv_mirror.blocks import BlockMirror
from probes.kv_mirror.journal import Journal
from probes.kv_mirror.namespaces import PLAIN, Namespaces
from probes.kv_mirror.run import Run
from probes.kv_mirror.tokens import NoTokens
from probes.mirroring.census import GONE

FIRST_ID = 1


class Audience(Protocol):
    """Who else wants to know what becomes of the blocks."""

    def follow(self, journal: Journal, event: Stored | None) -> None:
        """Take what was done to the blocks, by an event that stored some if it is one."""


class KVTree:
    """Applies events to a mirror and says in records what became of the tree. All times are of the reader's clock.

    `groups` are those of the engine's cache, in the order of their numbers in the records.
    """

    def __init__(self, mirror: BlockMirror) -> None:
        self.groups: list[int] = []
        self.block_tokens = 0
        """Tokens of a block as they were told last, 0 before that."""
        self.audience: Audience | None = None
        self.kept = NoTokens()
        """What keeps tokens; whoever wants some puts another here before the first event."""
        self._mirror = mirror
        self._journal = mirror.journal = Journal()
        self._run_of: list[Run] = []
        self._index: list[int] = []
        self._next_id = FIRST_ID
        self._records: list[Record] = []
        self._growing: Run | None = None
        self._namespaces = Namespaces()
        self._namespace = PLAIN
        self._at = 0

    def apply(self, events: Iterable[Event], at: int) -> list[Record]:
        """Apply the events of one batch and return what they came to."""
        self._records, self._at = [], at
        for is_removal, stretch in groupby(events, lambda event: isinstance(event, Removed)):
            for event in stretch:
                if isinstance(event, Stored):
                    self._enter(event)
                self._mirror.apply(event)
                if not is_removal:
                    self._follow(event if isinstance(event, Stored) else None)
                if isinstance(event, Stored):
                    self.kept.stored(event, self._mirror)
            if is_removal:  # one by one, the first blocks of a node would be tombstones until its last ones go
                self._follow()
        self._settle()
        return self._records

    def clear(self, at: int) -> list[Record]:
        """Forget everything, as after a restart."""
        self._mirror.clear()
        self._records, self._at = [], at
        self._follow()
        return self._records

    def restated(self) -> Iterator[Record]:
        """Yield records that state the tree as it is, parents first. Nothing may be applied before the last one."""
        yield from self._namespaces.told()
        runs = (self._run_of[slot] for slot in self._mirror.slots())
        waiting = [*dict.fromkeys(run for run in runs if run.parent is None)]
        while waiting:
            run = waiting.pop()
            yield from self._stated(run)
            waiting += run.children.values()

    def _enter(self, event: Stored) -> None:
        """Note in which namespace blocks are, and tell its name before its first node."""
        self.block_tokens = event.block_tokens or self.block_tokens
        self._namespace, record = self._namespaces.of(event)
        if record is not None:
            self._records.append(record)

    def _follow(self, event: Stored | None = None) -> None:
        """Tell what an event did to the blocks."""
        journal = self._journal
        if self.audience is not None:
            self.audience.follow(journal, event)
        if journal.cleared:
            self._run_of, self._index, self._growing = [], [], None
            self.kept.cleared()
            self._records.append(CacheReset(self._at))
        created, gone = set(journal.created), set(journal.dropped)
        for slot in self._parents_first(created - gone):
            self._place(slot)
        for slot in dict.fromkeys(journal.moved):
            if slot not in created:
                self._move(slot)
        if gone:
            self.kept.dropped(gone)
            self._drop([slot for slot in journal.dropped if slot not in created])
        self._reword([slot for slot in journal.changed if slot not in created and slot not in gone])
        journal.empty()

    # ---- blocks that come

    def _parents_first(self, new: set[int]) -> Iterator[int]:
        """Yield new blocks, each after its parent: an event may tell of a parent after its child."""
        waiting = dict.fromkeys(slot for slot in self._journal.created if slot in new)
        while waiting:
            way = [next(iter(waiting))]
            while (above := self._mirror.parent_at(way[-1])) in waiting:
                way.append(above)
            for slot in reversed(way):
                del waiting[slot]
                yield slot

    def _place(self, slot: int) -> None:
        """Give a new block its node: that of the one before it, where they come together, else one of its own."""
        above, where = self._mirror.parent_at(slot), self._mirror.places_at(slot)
        growing = self._growing
        alike = growing is not None and (growing.where, growing.namespace) == (where, self._namespace)
        if growing is None or not alike or growing.blocks[-1] != above:
            self._settle()
            growing = self._growing = self._new(None if above < 0 else self._ending_at(above))
            growing.where, growing.namespace = where, self._namespace
        self._append(growing, slot)

    def _new(self, parent: Run | None) -> Run:
        run = Run(self._next_id, parent, self._at)
        self._next_id += 1
        self.kept.began(run)
        return run

    def _append(self, run: Run, slot: int) -> None:
        missing = slot + 1 - len(self._run_of)
        if missing > 0:
            self._run_of.extend([run] * missing)
            self._index.extend([0] * missing)
        self._run_of[slot] = run
        self._index[slot] = run.base + len(run.blocks)
        run.blocks.append(slot)
        run.tokens += self._size(slot)

    def _settle(self) -> None:
        """Tell of the node that grew, now that it has all of its blocks."""
        run, self._growing = self._growing, None
        if run is not None:
            self._tell(run)

    def _ending_at(self, slot: int) -> Run:
        """Return the node that ends with a block; it is split if it goes on behind it."""
        run = self._run_of[slot]
        count = self._index[slot] - run.base + 1
        return run if count == len(run.blocks) else self._split(run, count)

    # ---- blocks that move, change and go

    def _move(self, slot: int) -> None:
        """Hang the node that begins with a block where that is now."""
        self._settle()
        run, above = self._run_of[slot], self._mirror.parent_at(slot)
        run.tokens = sum(map(self._size, run.blocks))
        run.hang(None if above < 0 else self._ending_at(above))
        self._tell(run)
        for below in run.below():
            assert below.parent is not None
            below.start = below.parent.start + below.parent.tokens
            self._tell(below)

    def _reword(self, slots: Sequence[int]) -> None:
        """Tell where blocks are now; a node whose blocks are not all in the same places is split."""
        where = self._mirror.places_at
        for run in dict.fromkeys(self._run_of[slot] for slot in slots):
            if all(where(slot) == run.where for slot in run.blocks):
                continue
            self._settle()
            stretches = [(there, len([*same])) for there, same in groupby(run.blocks, where)]
            for there, count in stretches[:-1]:
                self._say_where(self._split(run, count), there)
            self._say_where(run, stretches[-1][0])

    def _drop(self, slots: Sequence[int]) -> None:
        """Take blocks away, which are the last ones of their nodes; a node that has none left goes."""
        self._settle()
        counts: dict[Run, int] = {}
        for slot in slots:
            run = self._run_of[slot]
            counts[run] = counts.get(run, 0) + 1
        for run, count in counts.items():
            run.tokens -= sum(map(self._size, run.blocks[-count:]))
            del run.blocks[-count:]
            if run.blocks:
                self._tell(run)
            else:
                run.leave()
                self.kept.ended(run)
                self._records.append(NodeRemoved(self._at, run.id))

    # ---- nodes

    def _split(self, run: Run, count: int) -> Run:
        """Give the first blocks of a node to a new one above it, and return that."""
        self._settle()
        upper = self._new(run.parent)
        upper.base, upper.start, upper.where, upper.namespace = run.base, run.start, run.where, run.namespace
        upper.blocks = run.blocks[:count]
        upper.tokens = sum(map(self._size, upper.blocks))
        for slot in upper.blocks:
            self._run_of[slot] = upper
        del run.blocks[:count]
        run.base += count
        run.tokens -= upper.tokens
        run.hang(upper)
        live, copied = self._tiers(upper.where)
        key, space = self._key(upper), upper.namespace
        self._records.append(
            NodeSplit(self._at, run.id, upper.id, upper.parent_id, upper.start, upper.tokens, key, space, live, 0, 0)
        )
        if copied:
            self._records.append(NodeTiers(self._at, upper.id, live, copied))
        return upper

    def _tell(self, run: Run) -> None:
        """State a node as it is."""
        self._records += self._stated(run)

    def _stated(self, run: Run) -> list[Record]:
        live, copied = self._tiers(run.where)
        at, key = run.created_at, self._key(run)
        node = NodeAdded(at, run.id, run.parent_id, run.start, run.tokens, key, run.namespace, live, 0, 0, 0, at)
        return [node, NodeTiers(self._at, run.id, live, copied)] if copied else [node]

    def _say_where(self, run: Run, where: int) -> None:
        if run.where != where:
            run.where = where
            self._records.append(NodeTiers(self._at, run.id, *self._tiers(where)))

    def _tiers(self, where: int) -> tuple[int, int]:
        """Return the bits of the components that are on the device, and of those that are on a tier below it."""
        live = copied = 0
        for number, place in enumerate(self._mirror.places):
            if where >> number & 1:
                live |= self._bit(place.group) if place.tier == DEVICE else 0
                copied |= self._bit(place.group) if place.tier != DEVICE else 0
        return live, copied or (0 if live else GONE)

    def _bit(self, group: int) -> int:
        if group not in self.groups:
            self.groups.append(group)
        return 1 << self.groups.index(group)

    def _key(self, run: Run) -> int:
        return signed_word(self._mirror.name_at(run.blocks[-1]))

    def _size(self, slot: int) -> int:
        """Return the tokens of a block; one that nobody told the size of is there, and has one at least."""
        return self._mirror.tokens_at(slot) or 1

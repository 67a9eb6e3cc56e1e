"""The blocks of one rank: how many copies of each there are in every place, and below which other it stands.

A place is a tier and a group of the KV cache. Engines tell of each copy (vLLM) and of each namespace that shares a
hash (SGLang), so copies are counted: a set would lose blocks that are there. A block whose parent nobody told of is
kept below a placeholder, which becomes the parent once that is told. What is gone everywhere, and has nothing below
it, takes no memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence

from probes.kv.wire import Event, Hash, Removed, Stored
from probes.kv_mirror.journal import Journal
from probes.kv_mirror.places import Doubts, Place

LIMIT_BLOCKS = 16_000_000
"""How many blocks are kept at most: a stream that only ever stores must not take all memory."""

ROOT = -1
"""The parent of a block that begins a prompt."""
UNKNOWN = -2
"""The parent of a placeholder."""

_PLACE_BITS = 6
MOST_PLACES = 1 << _PLACE_BITS
"""Tiers times groups that one rank may have; engines have a handful."""

_MOST_COPIES = (1 << 16) - 1
_LONGEST_WALK = 1 << 17
"""How far up a chain is followed to see that a parent is not below its own child: further than prompts are long."""


class BlockMirror:
    """Applies events of one rank, in their order. Slots number the blocks and are reused."""

    def __init__(self, limit_blocks: int = LIMIT_BLOCKS) -> None:
        self.places: list[Place] = []
        self.doubts = Doubts()
        self.orphans = 0
        """Blocks whose parent nobody has told of."""
        self.journal: Journal | None = None
        """Where changes are written down, if anybody wants to know."""
        self._limit = limit_blocks
        self._place_of: dict[tuple[str, int], int] = {}
        self._begin()

    def _begin(self) -> None:
        self._slots: dict[Hash, int] = {}
        self._hashes: list[Hash] = []
        self._parents = array("i")
        self._children = array("I")
        self._tokens = array("I")
        self._where = array("Q")
        self._free: list[int] = []
        self._counts = [array("H") for _ in self.places]
        self._retold: set[int] = set()
        self.orphans = 0

    # ---- reading

    def __len__(self) -> int:
        """Return how many blocks are known, with those that are only kept as parents of others."""
        return len(self._slots)

    @property
    def retold(self) -> int:
        """How many may have fewer copies than were told: their prompt was told of again while all of it was there.

        Nothing tells that from second copies. vLLM does so for requests with `kv_cache_report_mode="full"` whenever
        they hit, and tells of a removal once all the same; its versions that know that mode tell the kind of a group.
        A block that goes entirely settles that it had no copy too many.
        """
        return len(self._retold)

    def copies(self, name: Hash, tier: str, group: int = 0) -> int:
        """Return how many copies of a block are in a place, for checks."""
        place, slot = self._place_of.get((tier, group)), self._slots.get(name)
        return 0 if place is None or slot is None else self._counts[place][slot]

    def blocks(self, tier: str, group: int = 0) -> Iterator[tuple[Hash, int]]:
        """Return the blocks of a place, each with its copies, for checks."""
        place = self._place_of.get((tier, group))
        if place is None:
            return iter(())
        counts = self._counts[place]
        return ((name, counts[slot]) for name, slot in self._slots.items() if counts[slot])

    def parent(self, name: Hash) -> Hash | None:
        """Return the block above one, None for the first of a prompt and where it is not known; for checks."""
        slot = self._slots.get(name)
        parent = ROOT if slot is None else self._parents[slot]
        return self._hashes[parent] if parent >= 0 else None

    # ---- reading by slot, for whoever reads the journal

    def slot_of(self, name: Hash) -> int | None:
        """Return the slot of a block, None if it is not known."""
        return self._slots.get(name)

    def slots(self) -> Iterable[int]:
        """Return the slots that are taken, in the order in which their blocks came."""
        return self._slots.values()

    def name_at(self, slot: int) -> Hash:
        """Return the block of a slot."""
        return self._hashes[slot]

    def new_at(self, slot: int) -> tuple[int, Hash, int]:
        """Return the slot above a block, its name and its tokens, all in one call."""
        return self._parents[slot], self._hashes[slot], self._tokens[slot]

    def parent_at(self, slot: int) -> int:
        """Return the slot above one; ROOT and UNKNOWN are none."""
        return self._parents[slot]

    def tokens_at(self, slot: int) -> int:
        """Return how many tokens a block has, 0 where that was not told."""
        return self._tokens[slot]

    def places_at(self, slot: int) -> int:
        """Return where a block is, a bit for each of `places`."""
        return self._where[slot]

    # ---- applying

    def apply(self, event: Event) -> None:
        """Change what is known by one event."""
        if isinstance(event, Stored):
            self._store(event)
        elif isinstance(event, Removed):
            self._remove(event)
        else:
            self.clear()

    def clear(self) -> None:
        """Forget every block; places stay, and are empty."""
        for place in self.places:
            place.went_tokens += place.tokens
            place.blocks = place.copies = place.tokens = 0
        self._begin()
        if self.journal is not None:
            self.journal.cleared = True

    def _store(self, event: Stored) -> None:
        place = self._place(event.tier, event.group)
        if place is None:
            self.doubts.placeless += len(event.hashes)
            return
        if len(self._slots) + len(event.hashes) >= self._limit:
            self.doubts.left_out += len(event.hashes)
            return
        of = self.places[place]
        of.kind, of.window_tokens = event.kind or of.kind, event.window_tokens or of.window_tokens
        if not event.hashes:
            return
        of.block_tokens = of.block_tokens or event.block_tokens
        self.doubts.other_sizes += event.block_tokens not in (0, of.block_tokens)
        first = above = ROOT if event.parent is None else self._parent_slot(event.parent, event.block_tokens)
        slots, counts, new = self._slots, self._counts[place], 0
        for name in event.hashes:
            slot = slots.get(name)
            if slot is None:
                slot = self._add(name, above, event.block_tokens)
            elif self._parents[slot] != above:
                self._move(slot, above, event.block_tokens)
            if not counts[slot]:
                self._hold(slot, place)
                new += 1
            if counts[slot] < _MOST_COPIES:
                counts[slot] += 1
                of.copies += 1
            else:
                self.doubts.left_out += 1
            above = slot
        self._sweep(first)  # a placeholder that no block went below
        if not new and event.parent is None and event.kind is not None and self._is_hit(above, event.tier):
            self._retold.update(slots[name] << _PLACE_BITS | place for name in event.hashes)

    def _is_hit(self, slot: int, tier: str) -> bool:
        """Say whether a prompt that ends with a block is found: every group of a tier has that block."""
        wanted = sum(1 << place for place, at in enumerate(self.places) if at.tier == tier and at.blocks)
        return self._where[slot] & wanted == wanted

    def _remove(self, event: Removed) -> None:
        place = self._place(event.tier, event.group)
        counts: Sequence[int] = () if place is None else self._counts[place]
        for name in event.hashes:
            slot = self._slots.get(name)
            if place is None or slot is None or not counts[slot]:
                self.doubts.unknown_removals += 1
                continue
            self._counts[place][slot] -= 1
            self.places[place].copies -= 1
            if not counts[slot]:
                self._let_go(slot, place)

    def _place(self, tier: str, group: int) -> int | None:
        """Return the number of a place, which is made when it is first told of; None past the limit."""
        place = self._place_of.get((tier, group))
        if place is None and len(self.places) < MOST_PLACES:
            place = self._place_of[tier, group] = len(self.places)
            self.places.append(Place(tier, group))
            self._counts.append(array("H", bytes(2 * len(self._hashes))))
        return place

    def _parent_slot(self, name: Hash, tokens: int) -> int:
        slot = self._slots.get(name)
        if slot is None:
            return self._add(name, UNKNOWN, tokens)
        self.doubts.below_gone += not self._where[slot] and self._parents[slot] != UNKNOWN
        return slot

    def _add(self, name: Hash, parent: int, tokens: int) -> int:
        """Make room for a block that is nowhere yet."""
        if self._free:
            slot = self._free.pop()
            self._hashes[slot], self._parents[slot], self._tokens[slot] = name, parent, tokens
        else:
            slot = len(self._hashes)
            self._hashes.append(name)
            for column, value in ((self._parents, parent), (self._children, 0), (self._tokens, tokens)):
                column.append(value)
            self._where.append(0)
            for counts in self._counts:
                counts.append(0)
        self._slots[name] = slot
        self._hang(slot, parent)
        if self.journal is not None:
            self.journal.created.append(slot)
        return slot

    def _hold(self, slot: int, place: int) -> None:
        """Count a block among those of a place."""
        self._where[slot] |= 1 << place
        of, tokens = self.places[place], self._tokens[slot]
        of.blocks += 1
        of.tokens += tokens
        of.came_tokens += tokens
        if self.journal is not None:
            self.journal.changed.append(slot)

    def _let_go(self, slot: int, place: int) -> None:
        """Take a block out of a place."""
        self._where[slot] ^= 1 << place
        if self._retold:
            self._retold.discard(slot << _PLACE_BITS | place)
        of, tokens = self.places[place], self._tokens[slot]
        of.blocks -= 1
        of.tokens -= tokens
        of.went_tokens += tokens
        if self.journal is not None:
            self.journal.changed.append(slot)
        self._sweep(slot)

    def _sweep(self, slot: int) -> None:
        """Forget a block that is in no place and has nothing below it; then do the same with the one above."""
        while slot >= 0 and not self._where[slot] and not self._children[slot]:
            parent = self._parents[slot]
            self.doubts.below_gone += parent == UNKNOWN
            self._unhang(slot)
            del self._slots[self._hashes[slot]]
            self._hashes[slot] = 0
            self._free.append(slot)
            if self.journal is not None:
                self.journal.dropped.append(slot)
            slot = parent

    # ---- what stands below what

    def _hang(self, slot: int, parent: int) -> None:
        if parent >= 0:
            self._children[parent] += 1
            self.orphans += self._parents[parent] == UNKNOWN

    def _unhang(self, slot: int) -> None:
        parent = self._parents[slot]
        if parent >= 0:
            self._children[parent] -= 1
            self.orphans -= self._parents[parent] == UNKNOWN

    def _move(self, slot: int, parent: int, tokens: int) -> None:
        """Hang a known block below the parent that it is now told with.

        A placeholder takes any. Any other block keeps the parent that was told first, unless that was none.
        """
        known = self._parents[slot]
        if known == UNKNOWN:
            self._tokens[slot] = tokens
            self._attach(slot, parent)
        elif known == ROOT and parent >= 0:
            self.doubts.other_parents += 1
            self._attach(slot, parent)
        elif parent != ROOT:
            self.doubts.other_parents += 1

    def _attach(self, slot: int, parent: int) -> None:
        """Change the parent of a block, with everything below it."""
        if self._is_below(parent, slot):
            self.doubts.other_parents += 1
            parent = ROOT
        if self._parents[slot] == UNKNOWN:
            self.orphans -= self._children[slot]
        else:
            self._unhang(slot)
        self._parents[slot] = parent
        self._hang(slot, parent)
        if self.journal is not None:
            self.journal.moved.append(slot)

    def _is_below(self, slot: int, above: int) -> bool:
        """Say whether a block is `above` or stands below it. A walk that is too long counts as a yes."""
        for _ in range(_LONGEST_WALK):
            if slot < 0 or slot == above:
                return slot == above
            slot = self._parents[slot]
        return True

"""One rank's blocks among those of all ranks: follows its mirror, and tells what comes to its device and goes."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from probes.fleet.figures import RankName
from probes.fleet.naming import NONE, Naming
from probes.fleet.shared import SharedBlocks
from probes.kv.wire import DEVICE, Stored
from probes.kv_mirror.blocks import ROOT, BlockMirror
from probes.kv_mirror.journal import Journal

PREFIX_TOKENS = 256
"""Prompts with the same first tokens, so many of them, count as one prefix: most system prompts are longer."""

_UNKNOWN = -1
"""Where a block begins that stands below nothing that was told of."""

_AWAY, _COUNTED, _TWIN = 0, 1, 2
"""A block is not on the device; is, and counts; or is, with the name of another that counts already."""


class RankBlocks:
    """Takes the journal of a rank's mirror. What moved below another block keeps its name: see the rank's badge."""

    def __init__(self, shared: SharedBlocks, name: RankName, mirror: BlockMirror, names: Naming) -> None:
        self._shared = shared
        self._number = shared.add_rank(name)
        self._mirror = mirror
        self._naming = names
        self._names = array("q")
        self._prefixes = array("q")
        self._starts = array("i")
        self._sizes = array("I")
        self._held = bytearray()

    def follow(self, journal: Journal, event: Stored | None) -> None:
        """Take what an event did to the blocks: what was stored is named by it."""
        if journal.cleared:
            self._leave()
        if journal.created:
            self._name(journal.created, event)
        if journal.changed:
            on_device, places_at, held = self._device_places(), self._mirror.places_at, self._held
            for slot in journal.changed:
                is_here = places_at(slot) & on_device != 0
                if is_here and held[slot] == _AWAY:
                    self._count_in(slot)
                elif not is_here and held[slot] != _AWAY:
                    self._count_out(slot)

    def _leave(self) -> None:
        for slot, held in enumerate(self._held):
            if held:
                self._count_out(slot)

    def _device_places(self) -> int:
        """Return a bit for each place that is on the device."""
        return sum(1 << number for number, place in enumerate(self._mirror.places) if place.tier == DEVICE)

    def _make_room(self, slots: int) -> None:
        missing = slots - len(self._held)
        if missing > 0:
            for column in (self._names, self._prefixes, self._starts, self._sizes):
                column.extend([NONE] * missing)
            self._held.extend(bytes(missing))

    def _name(self, created: Sequence[int], event: Stored | None) -> None:
        """Note what new blocks are called, where they begin and which prefixes they belong to."""
        self._make_room(max(created) + 1)
        places = {} if event is None else dict(zip(event.hashes, range(len(event.hashes)), strict=True))
        new_at, names, starts, sizes = self._mirror.new_at, self._names, self._starts, self._sizes
        for slot in created:
            if self._held[slot]:  # by the one that had the slot before
                self._count_out(slot)
            above, block, tokens = new_at(slot)
            sizes[slot] = tokens = tokens or 1
            place = places.get(block)
            if event is None or place is None:
                names[slot], starts[slot] = self._naming.of_hash(block), _UNKNOWN
            elif above >= 0:
                names[slot] = self._naming.of(event, place, names[above])
                starts[slot] = _UNKNOWN if starts[above] == _UNKNOWN else starts[above] + sizes[above]
            else:
                names[slot], starts[slot] = self._naming.of(event, place, NONE), 0 if above == ROOT else _UNKNOWN
            prefix = self._prefixes[above] if above >= 0 else NONE
            if prefix == NONE and starts[slot] != _UNKNOWN and starts[slot] + tokens >= PREFIX_TOKENS:
                prefix = names[slot]  # it completes the beginning of its prompt
            self._prefixes[slot] = prefix

    def _count_in(self, slot: int) -> None:
        """Count a block that came to the device."""
        name, tokens, prefix = self._names[slot], self._sizes[slot], self._prefixes[slot]
        is_news = self._shared.came(self._number, name, tokens, prefix)
        self._held[slot] = _COUNTED if is_news else _TWIN

    def _count_out(self, slot: int) -> None:
        """Count a block no more that went from the device."""
        if self._held[slot] == _COUNTED:
            self._shared.went(self._number, self._names[slot], self._sizes[slot], self._prefixes[slot])
        self._held[slot] = _AWAY

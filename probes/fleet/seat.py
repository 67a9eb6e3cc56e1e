"""One rank's blocks among those of all ranks: follows its mirror, and tells what comes to its device and goes."""

from __future__ import annotations

from array import array

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


class Seat:
    """Takes the journal of a rank's mirror. What moved below another block keeps its name: see the rank's badge."""

    def __init__(self, shared: SharedBlocks, name: RankName, mirror: BlockMirror, names: Naming) -> None:
        self._shared = shared
        self._number = shared.seat(name)
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
            self._make_room(max(journal.created) + 1)
            places = {} if event is None else {name: place for place, name in enumerate(event.hashes)}
            for slot in journal.created:
                self._name(slot, event, places.get(self._mirror.name_at(slot)))
        if journal.changed:
            on_device = self._device_places()
            for slot in dict.fromkeys(journal.changed):
                self._settle(slot, bool(self._mirror.places_at(slot) & on_device))

    def _leave(self) -> None:
        for slot, held in enumerate(self._held):
            if held:
                self._settle(slot, False)

    def _device_places(self) -> int:
        """Return a bit for each place that is on the device."""
        return sum(1 << number for number, place in enumerate(self._mirror.places) if place.tier == DEVICE)

    def _make_room(self, slots: int) -> None:
        missing = slots - len(self._held)
        if missing > 0:
            for column in (self._names, self._prefixes, self._starts, self._sizes):
                column.extend([NONE] * missing)
            self._held.extend(bytes(missing))

    def _name(self, slot: int, event: Stored | None, place: int | None) -> None:
        """Note what a new block is called, where it begins and which prefix it belongs to."""
        mirror = self._mirror
        self._settle(slot, False)  # the one that had the slot before
        above = mirror.parent_at(slot)
        self._sizes[slot] = mirror.tokens_at(slot) or 1
        if event is None or place is None:
            name, start = self._naming.of_hash(mirror.name_at(slot)), _UNKNOWN
        else:
            name, start = self._naming.of(event, place, self._name_at(above)), self._end(above)
        self._names[slot], self._starts[slot] = _word(name), start
        self._prefixes[slot] = self._prefix(slot, above)

    def _name_at(self, slot: int) -> int:
        return NONE if slot < 0 else self._names[slot]

    def _end(self, slot: int) -> int:
        """Return how many tokens there are down to the end of a block."""
        if slot < 0:
            return 0 if slot == ROOT else _UNKNOWN
        start = self._starts[slot]
        return start if start == _UNKNOWN else start + self._sizes[slot]

    def _prefix(self, slot: int, above: int) -> int:
        """Return the name of the block that completes the beginning of a block's prompt, itself perhaps."""
        if above >= 0 and self._prefixes[above] != NONE:
            return self._prefixes[above]
        return self._names[slot] if self._end(slot) >= PREFIX_TOKENS else NONE

    def _settle(self, slot: int, is_here: bool) -> None:
        """Count a block in or out."""
        held = self._held[slot]
        if is_here == bool(held):
            return
        what = self._names[slot], self._sizes[slot], self._prefixes[slot]
        if is_here:
            self._held[slot] = _COUNTED if self._shared.came(self._number, *what) else _TWIN
        else:
            self._held[slot] = _AWAY
            if held == _COUNTED:
                self._shared.went(self._number, *what)


def _word(name: int) -> int:
    """Return a name as a signed word of 64 bits."""
    name &= (1 << 64) - 1
    return name - (1 << 64) if name >> 63 else name

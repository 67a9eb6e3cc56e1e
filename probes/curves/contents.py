"""Names for contents: two prompts have the same names as far as their tokens are the same.

Records tell no tokens, but content keys of all tokens up to some positions. A name stands for the tokens of a path
from where it left what was known on, so a path is a chain of names, one for each place where it left another one:

    name 1   [--------------------------)              key a at its end
    name 2            `-- [--------)                   left name 1 here: key b is name 2
    path of b    1 1 1 1   2 2 2 2

Content that comes back, cut in other places, is known to its last known key; what lies between that and the next key
has a new name, though some of it may have been there.
"""

from __future__ import annotations

from collections.abc import Iterable

from cache_core.events import NodeAdded, NodeMarked, NodeSplit
from probes.curves.recency import ID_BYTES
from probes.mirror import Mirror
from probes.mirroring.node import ROOT

MOST_KEYS = 1 << 17
"""So many content keys are remembered, those that were used last, at about 150 bytes each with their names."""

TOP = 0
"""The name of no tokens: what lies above all paths."""


class Contents:
    """Names the nodes of a mirror, and what left it, by content keys. Names are given once and never again."""

    def __init__(self, mirror: Mirror, most_keys: int = MOST_KEYS) -> None:
        self._mirror = mirror
        self._most_new = most_keys // 2
        self._names: dict[int, int] = {}
        self._names_before: dict[int, int] = {}  # what was used before the last turn
        self._places: dict[int, tuple[int, int]] = {TOP: (0, TOP)}  # where a name begins, and the older one it left
        self._newest = TOP
        self._newborn = -1

    def __len__(self) -> int:
        """Return how many keys are remembered."""
        return len(self._names) + len(self._names_before)

    def added(self, record: NodeAdded) -> None:
        """Name a node that the mirror has taken in."""
        slot = self._mirror.columns.pages.slot_of(record.node)
        if slot > ROOT:
            before = self._newest
            self.name_of(slot)
            self._newborn = record.node if self._newest != before else -1

    def marked(self, record: NodeMarked) -> None:
        """Name what is inside the node that was added right before, and find out how much of it is known."""
        node, first, step, keys = record
        columns = self._mirror.columns
        slot = columns.pages.slot_of(node)
        if slot <= ROOT or step <= 0:
            return
        name, is_new = self.name_of(slot), node == self._newborn
        if is_new and self._names.keys().isdisjoint(keys) and self._names_before.keys().isdisjoint(keys):
            self._names.update(dict.fromkeys(keys, name))  # as of most, which costs less than a look at each
            return
        start = columns.start[slot]
        inside = range(max(0, (start - first) // step + 1), len(keys))
        if is_new:
            for place in reversed(inside):
                known = self._find(keys[place])
                if known is not None and known != name:
                    self._places[name] = first + place * step, known
                    break
        for place in inside:
            if self._find(keys[place]) is None:
                self._note(keys[place], self._at(name, first + place * step))

    def split(self, record: NodeSplit) -> None:
        """Name the upper part of a node that the mirror has split."""
        columns = self._mirror.columns
        slot = columns.pages.slot_of(record.node)
        if slot > ROOT and self._find(record.content_key) is None:
            self._note(record.content_key, self._at(self.name_of(slot), record.start + record.length))

    def name_of(self, slot: int) -> int:
        """Return the name of the last token of a node; what has none gets one, from the last named node above on."""
        columns = self._mirror.columns
        unnamed: list[int] = []
        while slot > ROOT:
            found = self._find(columns.content_key[slot])
            if found is not None:
                break
            unnamed.append(columns.content_key[slot])
            slot = columns.parent[slot]
        else:
            found = TOP
        if unnamed:
            self._newest += 1
            start = columns.start[slot] + columns.length[slot] if slot > ROOT else 0
            self._places[self._newest] = start, found
            found = self._newest
            for key in unnamed:
                self._note(key, found)
        return found

    def path(self, name: int, tokens: int, block_tokens: int) -> bytes:
        """Return the whole blocks among the first tokens of a path that ends in a name, each by that of its last one.

        Nothing is left of one that is not remembered.
        """
        pieces: list[bytes] = []
        end = tokens // block_tokens
        while name in self._places and name != TOP:
            start, above = self._places[name]
            first = max(0, start) // block_tokens  # a forged stream may say anything
            if first < end:
                pieces.append(name.to_bytes(ID_BYTES, "little") * (end - first))
                end = first
            name = above
        pieces.reverse()
        return b"" if end else b"".join(pieces)

    def _at(self, name: int, end: int) -> int:
        """Return the name of the last token before a position on a path."""
        places = self._places
        while name != TOP and places[name][0] >= end:
            name = places[name][1]
        return name

    def _find(self, key: int) -> int | None:
        name = self._names.get(key)
        if name is None:
            name = self._names_before.pop(key, None)
            if name is not None:
                self._names[key] = name
        return name

    def _note(self, key: int, name: int) -> None:
        self._names[key] = name
        if len(self._names) > self._most_new:
            self._names_before, self._names = self._names, {}
            self._places = self._reachable((*self._names_before.values(),))

    def _reachable(self, names: Iterable[int]) -> dict[int, tuple[int, int]]:
        """Return the places of names and of all that they left."""
        places = self._places
        kept = {TOP: places[TOP]}
        for name in names:
            while name not in kept:
                kept[name] = places[name]
                name = places[name][1]
        return kept

"""Frames as they are looked at: names of segments, and what of the components is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

from probes.mirroring.segments import Segments
from profiles.columns import Column
from profiles.forest import TOP, Forest, Frame, Kind
from profiles.labels import UNNAMED, clean, join, label

GONE = -1
"""The mask of what is no longer in the tree."""


def name_key(*names: str) -> int:
    """Return the key of a frame that has a name instead of tokens: the same in every run, and no key of content."""
    raw = "\0".join(names).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(raw, digest_size=8, person=b"frame").digest(), "little", signed=True)


@dataclass(frozen=True, slots=True)
class Named:
    """A frame without tokens. A text that is a word of our own needs no key to be told apart."""

    kind: Kind
    text: str
    key: int
    is_ours: bool = True

    @property
    def label(self) -> str:
        """What the frame is called."""
        return self.text if self.is_ours else label(self.text, self.key)


@dataclass(frozen=True, slots=True)
class Names:
    """What the frames of a forest are called. Keeps what it needs, so that the run may go on meanwhile.

    `segments` returns the named segments of a place. `present` has a bit per component that is there on either tier,
    and GONE for what left the tree. `components` are the names of the bits.
    """

    named: Mapping[int, Named]
    segments: Callable[[int], Segments]
    labels: Mapping[int, str]
    present: Column
    components: tuple[str, ...]

    def frame(self, forest: Forest, place: int) -> Frame:
        """See Naming."""
        parent, key, end = int(forest.parents[place]), int(forest.keys[place]), int(forest.ends[place])
        named = self.named.get(place)
        if named is not None:
            return Frame(parent, key, named.label, clean(named.text), 0, 0, kind=named.kind)
        start = 0 if parent == TOP else int(forest.ends[parent])
        tokens = segment_tokens(self.segments(place), self.labels, start, end)
        present = int(self.present[place])
        there = 0 if present == GONE else present
        return Frame(
            parent=parent,
            key=key,
            label=label(join(tuple(tokens)), key),
            segment=max(tokens, key=lambda name: tokens[name]),
            start=start,
            end=end,
            resident=present != GONE,
            lost=tuple(name for bit, name in enumerate(self.components) if not there >> bit & 1),
        )


def segment_tokens(segments: Segments, labels: Mapping[int, str], start: int, end: int) -> dict[str, int]:
    """Return the segments that reach into tokens [start, end), in their order, and how many tokens each has there."""
    starts = [(first, name) for first, name in segments if first < end]
    tokens: dict[str, int] = {}
    for (first, id_), (after, _) in pairwise([*starts, (end, 0)]):
        if after > start:
            name = clean(labels.get(id_, UNNAMED))
            tokens[name] = tokens.get(name, 0) + after - max(first, start)
    return tokens or {UNNAMED: end - start}

"""Makes the frames of a forest out of stretches, the names of segments and the tree as it is at the end."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from itertools import chain, pairwise

from probes.mirror import Mirror
from profiles.cuts import Cuts, Stretch
from profiles.forest import TOP, Forest, Frame
from profiles.labels import UNNAMED, clean, join, label

Names = Mapping[int, Mapping[int, int]]
"""Per content key: where segments start, and their label ids."""

Own = Mapping[str, Mapping[int, int]]
"""Per weight, by content key: what a stretch weighs itself."""


def make_forest(cuts: Cuts, names: Names, own: Own, mirror: Mirror, title: str = "") -> Forest:
    """Return the forest: named namespaces first, then stretches by end and key, which puts parents first.

    `mirror` says what is resident and resolves names; the plain namespace gets no frame.
    """
    stretches = sorted(cuts.stretches.values(), key=lambda stretch: (stretch.end, stretch.key))
    named = {stretch.namespace: mirror.namespaces.get(stretch.namespace, "") for stretch in stretches}
    spaces = sorted((text, id_) for id_, text in named.items() if text)
    places = {stretch.key: place for place, stretch in enumerate(stretches, len(spaces))}
    space_places = {id_: place for place, (_, id_) in enumerate(spaces)}
    resident = resident_masks(cuts, mirror)
    lost_of = _Lost(mirror)

    def frame(stretch: Stretch) -> Frame:
        space = space_places.get(stretch.namespace, TOP)
        segments = _segments(stretch, names.get(stretch.key, {}), mirror)
        return Frame(
            parent=space if stretch.parent is None else places[stretch.parent],
            key=stretch.key,
            label=label(join(tuple(segments)), stretch.key),
            segment=max(segments, key=lambda name: segments[name]),
            start=stretch.start,
            end=stretch.end,
            resident=stretch.key in resident,
            lost=lost_of(resident.get(stretch.key, 0)),
        )

    of_spaces = (Frame(TOP, id_, label(text, id_), clean(text), 0, 0) for text, id_ in spaces)
    columns = {weight: _column(of, len(spaces), stretches) for weight, of in own.items()}
    return Forest((*of_spaces, *map(frame, stretches)), columns, clean(title) if title else "")


def resident_masks(cuts: Cuts, mirror: Mirror) -> dict[int, int]:
    """Return the components present, a bit each, of every stretch that a node of the tree covers."""
    return {
        stretch.key: node.live | node.copied
        for node in mirror.nodes.values() if node is not mirror.root
        for stretch in covered(cuts, node.content_key, node.start)
    }  # fmt: skip


def covered(cuts: Cuts, key: int, start: int) -> Iterator[Stretch]:
    """Yield the stretches of `key` that lie behind `start`, the last one first."""
    for stretch in cuts.up(key):
        if stretch.end <= start:
            return
        yield stretch


class _Lost:
    """The names of the components that a mask lacks."""

    def __init__(self, mirror: Mirror) -> None:
        most = max((node.live | node.copied for node in mirror.nodes.values()), default=0)
        count = len(mirror.components) or most.bit_length()
        self._names = tuple(mirror.component_name(component) for component in range(count))

    def __call__(self, live: int) -> tuple[str, ...]:
        return tuple(name for component, name in enumerate(self._names) if not live >> component & 1)


def _segments(stretch: Stretch, segments: Mapping[int, int], mirror: Mirror) -> dict[str, int]:
    """Return the segments that reach into a stretch, in their order, and how many of its tokens each has."""
    starts = sorted(start for start in segments if start < stretch.end)
    tokens: dict[str, int] = {}
    for start, end in pairwise([*starts, stretch.end]):
        if end > stretch.start:
            name = clean(mirror.labels.get(segments[start], UNNAMED))
            tokens[name] = tokens.get(name, 0) + end - max(start, stretch.start)
    return tokens or {UNNAMED: stretch.end - stretch.start}


def _column(own: Mapping[int, int], namespaces: int, stretches: list[Stretch]) -> array[int]:
    return array("q", chain([0] * namespaces, (own.get(stretch.key, 0) for stretch in stretches)))

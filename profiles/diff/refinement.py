"""The common refinement of two forests: every stretch of tokens that either tells apart, with what it weighs in both.

Two runs, or two moments of one, cut the same content in different places. Laid over each other, with the cuts of
both, a piece is the same piece in both, and what differs is what really changed.

    before     [------- a -------)[--- b ---)
    after      [-- c --)[-------- b --------)
    pieces     [-- c --)[-- a ---)[--- b ---)

A weight lies evenly on the tokens of a frame, so a piece gets its share by length; shares add up to the weight.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from profiles.forest import TOP, Forest, Frame
from profiles.growth.paths import Paths
from profiles.labels import UNNAMED


@dataclass(frozen=True, slots=True)
class Refinement:
    """The pieces, depth first, and for each side the columns of what they weigh themselves, by weight."""

    frames: tuple[Frame, ...]
    columns: tuple[dict[str, array[int]], ...]


def refine(forests: Sequence[Forest], weights: Sequence[str]) -> Refinement:
    """Return the common refinement of forests, the newest last: what that one lacks is not resident."""
    pieces = _Pieces()
    sides = [_Side(pieces, forest.frames) for forest in forests]
    order = pieces.depth_first()
    places = {number: place for place, number in enumerate(order)}
    columns = tuple(
        {weight: side.laid(forest.weights[weight], places) for weight in weights}
        for side, forest in zip(sides, forests, strict=True)
    )
    newest = sides[-1].covering()
    frames = (pieces.frame(number, newest.get(number), places) for number in order)
    return Refinement(tuple(frames), columns)


class _Pieces(Paths):
    """Pieces by number. A piece is known by the piece without tokens that it is below, its content key and its end.

    Its path may be cut again at any time: it then begins later, below the new piece.
    """

    def __init__(self) -> None:
        super().__init__([], [])
        self._names: list[Frame] = []
        self._numbers: dict[tuple[int, int, int], int] = {}

    def enter(self, frame: Frame, parent: int, room: int) -> int:
        """Take in a frame below the piece `parent`, and below `room`, the last one without tokens above it."""
        identity = (room, frame.key, frame.end)
        number = self._numbers.get(identity)
        if number is None:
            number = self._numbers[identity] = len(self.ends)
            self.ends.append(frame.end)
            self.parents.append(parent)
            self._names.append(frame)
            return number
        if _names_better(frame, self._names[number]):
            self._names[number] = frame
        if frame.end:
            self.cut(number, parent)
        return number

    def of(self, number: int, frame: Frame) -> Iterator[tuple[int, int, int]]:
        """Yield the pieces that make up a frame, and where each begins and ends."""
        end = self.end(number)
        while True:
            start = self.end(self.parents[number])
            yield number, start, end
            if start <= frame.start:
                return
            number, end = self.parents[number], start

    def depth_first(self) -> list[int]:
        """Return the numbers of all pieces, each followed by what is below it."""
        children: list[list[int]] = [[] for _ in range(len(self.ends) + 1)]
        for number, parent in enumerate(self.parents):
            children[parent].append(number)
        order: list[int] = []
        waiting = children[TOP]
        while waiting:
            order.append(waiting.pop())
            waiting += children[order[-1]]
        return order

    def frame(self, number: int, newest: Frame | None, places: dict[int, int]) -> Frame:
        """Return a piece as a frame; `newest` is the frame of the newest side that it is part of."""
        name, parent = self._names[number], self.parents[number]
        return replace(
            name,
            parent=TOP if parent == TOP else places[parent],
            start=self.end(parent) if name.end else name.start,
            resident=newest.resident if newest else not name.end,
            lost=newest.lost if newest else (),
        )


def _names_better(frame: Frame, other: Frame) -> bool:
    """Say whether a frame names a piece better than an older one: shorter is closer, newer is as people know it now.

    One side may not know what the other calls content that it never had.
    """
    if (frame.segment == UNNAMED) != (other.segment == UNNAMED):
        return other.segment == UNNAMED
    return frame.start >= other.start


class _Side:
    """One of the forests, as numbers of pieces."""

    def __init__(self, pieces: _Pieces, frames: Sequence[Frame]) -> None:
        self._pieces = pieces
        self._frames = list(frames)  # a forest makes them anew whenever they are looked at
        self._numbers: list[int] = []
        rooms: list[int] = []
        for frame in self._frames:
            above = frame.parent
            parent, room = (TOP, TOP) if above == TOP else (self._numbers[above], rooms[above])
            number = pieces.enter(frame, parent, room)
            self._numbers.append(number)
            rooms.append(room if frame.end else number)

    def laid(self, own: Sequence[int], places: dict[int, int]) -> array[int]:
        """Return the column of a weight over all pieces."""
        column = array("q", bytes(8 * len(places)))
        for number, frame, weight in zip(self._numbers, self._frames, own, strict=True):
            if weight and not frame.end:
                column[places[number]] += weight
            elif weight:
                length = frame.end - frame.start
                for piece, start, end in self._pieces.of(number, frame):
                    until, before = weight * (end - frame.start) // length, weight * (start - frame.start) // length
                    column[places[piece]] += until - before
        return column

    def covering(self) -> dict[int, Frame]:
        """Return the frame of this side that each piece is part of, for those that are part of one."""
        covered = {}
        for number, frame in zip(self._numbers, self._frames, strict=True):
            for piece, _, _ in self._pieces.of(number, frame) if frame.end else ():
                covered[piece] = frame
        return covered

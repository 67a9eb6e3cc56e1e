"""What ranks have in common, pair by pair: of the tokens of a row's rank, the share that a column's has, too."""

from __future__ import annotations

from collections.abc import Sequence

from probes.fleet.figures import Overlap
from probes.plural import plural
from radixtop.fleet.names import is_one_server, numbers
from radixtop.render.lines import Line, Span, clean, left, right
from radixtop.render.shades import CELL, SELF, figure, legend, shade
from radixtop.render.units import UNKNOWN, count, share

_NUMBER = 3
"""A number before the name of a row, of several servers: of one server, its name is its number."""

_NAMES = (5, 22)
_FIGURES = 14
"""Behind a name: tokens, and the share that nobody else has."""


class OverlapTable:
    """The matrix in a width: with percentages where they fit, else a sign for each pair.

    Where not even the signs fit, `first` is the first column that is shown, so that `cursor` is among them.
    """

    def __init__(self, overlap: Overlap, labels: Sequence[str], width: int, cursor: int = 0) -> None:
        self._overlap = overlap
        self._labels = [clean(label) for label in labels]
        self._numbers = numbers(overlap.names)
        self._start = 0 if is_one_server(overlap.names) else _NUMBER
        ranks = len(labels)
        self._name = max(_NAMES[0], min(_NAMES[1], max(map(len, self._labels), default=0)))
        start = self._start + 1 + self._name
        self.has_figures = start + _FIGURES + CELL * ranks <= width
        if not self.has_figures:
            self._name = max(_NAMES[0], min(self._name, width - self._start - 2 - ranks))
            start = self._start + 2 + self._name
        room = ranks if self.has_figures else max(1, width - start)
        self.first = max(0, min(cursor - room // 2, ranks - room))
        self._shown = range(self.first, min(ranks, self.first + room))

    def head(self) -> list[Line]:
        """Return what the signs mean, and the numbers of the columns."""
        said = legend("the row's tokens, on both")
        if self.has_figures:
            start = f"{'':{self._start + 1}}{left('rank', self._name)}{'tokens':>7}{'alone':>7}"
            numbers = "".join(f"{self._numbers[column]:>{CELL}}" for column in self._shown)
            return [said, ((start, "head"), (numbers, "label"))]
        return [
            said,
            *ruler(
                f"{'':{self._start + 1}}{left('rank', self._name)} ", [self._numbers[each] for each in self._shown]
            ),
        ]

    def line(self, row: int) -> Line:
        """Return the line of a rank."""
        overlap = self._overlap
        held = overlap.shared[row][row]
        spans: list[Span] = [
            (right(str(self._numbers[row]), self._start) if self._start else "", "label"),
            (" ", "text"),
            (left(self._labels[row], self._name), "text"),
        ]
        if self.has_figures:
            alone = share(overlap.alone[row] / held) if held else UNKNOWN
            spans += [(right(count(held), 7), "value"), (right(alone, 7), "label")]
        else:
            spans.append((" ", "text"))
        for column in self._shown:
            part = overlap.shared[row][column] / held if held else 0.0
            if column == row:
                spans.append((f"  {SELF}  " if self.has_figures else SELF, "dim"))
            elif self.has_figures:
                spans += figure(part)
            else:
                spans.append(shade(part))
        return tuple(spans)


def ruler(title: str, columns: Sequence[int]) -> list[Line]:
    """Return the numbers of columns of one cell behind a title: tens above units, where there are any."""
    tens = "".join(str(each // 10 % 10) if each and each % 10 == 0 else " " for each in columns)
    units = "".join(str(each % 10) for each in columns)
    above: Line = ((" " * len(title), "text"), (tens, "label"))
    return [above] * bool(tens.strip()) + [((title, "head"), (units, "label"))]


def in_words(overlap: Overlap, labels: Sequence[str], row: int) -> list[Line]:
    """Return what a rank has in common with others, in sentences: how much alone, and most with whom."""
    held = overlap.shared[row][row]
    name = clean(labels[row])
    if not held:
        return [((f"{name} has nothing on the device", "dim"),)]
    alone = overlap.alone[row]
    common = sorted(
        ((overlap.shared[row][other], other) for other in range(len(labels)) if other != row), reverse=True
    )
    most = [(tokens, other) for tokens, other in common[:3] if tokens]
    spans: list[Span] = [
        (name, "value"),
        (f" has {plural(held, 'token')}; ", "text"),
        (f"{share(alone / held)} of them alone", "device"),
    ]
    for place, (tokens, other) in enumerate(most):
        lead = ", in common with " if not place else ", "
        spans += [(f"{lead}{clean(labels[other])} ", "text"), (share(tokens / held), "value")]
    if not most:
        spans.append((", nothing in common with any other", "text"))
    return [tuple(spans)]

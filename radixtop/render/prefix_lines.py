"""The heaviest prefixes by rank: who has how much of them, and who lacks what the others have."""

from __future__ import annotations

from collections.abc import Sequence

from probes.fleet.figures import Overlap, Prefix
from probes.plural import plural
from radixtop.fleet.names import hex_of, is_one_server, numbers
from radixtop.render.lines import Line, Span, clean, right
from radixtop.render.overlap_lines import ruler
from radixtop.render.shades import NONE, legend, shade
from radixtop.render.units import count

_NAME = 16
_START = 1 + _NAME + 7 + 8
_CELL = 6
_MOST_NAMED = 12


class PrefixTable:
    """The prefixes in a width: tokens by rank where they fit, else a sign for each rank."""

    def __init__(self, overlap: Overlap, width: int, cursor_rank: int = 0) -> None:
        ranks = len(overlap.names)
        self._numbers = numbers(overlap.names)
        self._by = "rank" if is_one_server(overlap.names) else "rank as in overlap"
        self.has_figures = _START + _CELL * ranks <= width
        room = ranks if self.has_figures else max(1, width - _START - 1)
        first = max(0, min(cursor_rank - room // 2, ranks - room))
        self._shown = range(first, min(ranks, first + room))

    def head(self) -> list[Line]:
        """Return what the signs mean, and the numbers of the ranks."""
        start = f" {'prefix':<{_NAME}}{'tokens':>7}{'ranks':>8}"
        if self.has_figures:
            numbers = "".join(f"{self._numbers[rank]:>{_CELL}}" for rank in self._shown)
            said: Line = (
                (f"tokens of prompts that begin alike, by {self._by}; ", "label"),
                (f"{NONE} lacks it", "warn"),
            )
            return [said, ((start, "head"), (numbers, "label"))]
        return [
            legend("the most that a rank has"),
            *ruler(f"{start} ", [self._numbers[each] for each in self._shown]),
        ]

    def line(self, prefix: Prefix) -> Line:
        """Return the line of a prefix."""
        most, ranks = max(prefix.tokens, default=0), len(prefix.tokens)
        spans: list[Span] = [
            (f" {hex_of(prefix)}", "value"),
            (right(count(sum(prefix.tokens)), 7), "value"),
            (right(f"{prefix.holders}/{ranks}", 8), "label"),
        ]
        if not self.has_figures:
            spans.append((" ", "text"))
        for rank in self._shown:
            tokens = prefix.tokens[rank]
            if not self.has_figures:
                sign, role = shade(tokens / most if most else 0.0)
                spans.append((sign, "warn" if not tokens else role))
            else:
                spans.append((right(count(tokens) if tokens else NONE, _CELL), "value" if tokens else "warn"))
        return tuple(spans)


def in_words(prefix: Prefix, labels: Sequence[str]) -> list[Line]:
    """Return who has a prefix and who lacks it, in a sentence."""
    having = [clean(label) for label, tokens in zip(labels, prefix.tokens, strict=True) if tokens]
    lacking = [clean(label) for label, tokens in zip(labels, prefix.tokens, strict=True) if not tokens]
    spans: list[Span] = [
        ("prefix ", "label"),
        (hex_of(prefix), "value"),
        (f": {plural(sum(prefix.tokens), 'token')} on {plural(len(having), 'rank')}", "text"),
    ]
    if not lacking:
        spans.append(("; every rank has it", "good"))
    elif len(having) <= len(lacking):
        spans.append((f"; only on {_listed(having)}", "text"))
    else:
        spans.append((f"; lacking on {_listed(lacking)}", "warn"))
    return [tuple(spans)]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")

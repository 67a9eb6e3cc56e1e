"""Sums of what became of prompts: over time, by namespace, by workload segment, and by who evicted what came back."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from probes.lives.misses import COLUMN, COLUMNS, DEVICE, LOADED, PROMPT, REQUESTS, RETRACTED, UNKNOWN, Amounts
from probes.lives.named_sums import NamedSums
from probes.lives.request_life import Life
from probes.window import SECOND_NS, Counters

MOST_PAIRS = 1 << 10
"""So many pairs of namespaces have sums of their own; later ones share one."""

Pair = tuple[int | None, int | None]
"""Who evicted, None where nobody is named, and whose tokens those were."""

REST: Pair = (-1, -1)
"""The pair of all that came too late for one of their own."""

Kind = str | None
"""What segments are called without their numbers: "question" of "question 17". None of what has no label."""

MOST_WAITING = 1 << 10
"""So many requests wait at most to be added up."""

_FIRST_MISSED = COLUMN["first_seen"]
_COUNTED = COLUMNS
"""Behind the columns of what waits: which of the requests that wait was counted there last."""


class MissSums:
    """Lives on and is written by one probe: read it on the thread that ticks.

    `width` columns count for everything: those of `Amounts`, then whatever else the probe counts with a request.
    `kinds` has what was missed alone: the prompts of a kind are the tokens of it that were missed.
    Requests of one second are added up together, when another second begins or someone reads.
    """

    __slots__ = (
        "_asked", "_at", "_kind_of", "_kinds", "_missed", "_second", "_seconds", "_spaces", "_total", "_waiting",
        "pairs",
    )  # fmt: skip

    def __init__(self, width: int = COLUMNS, kind_of: Callable[[int | None], Kind] = lambda label: None) -> None:
        self._kind_of = kind_of
        self._total = [0] * width
        self._seconds = Counters(width)
        self._spaces: NamedSums[int | None] = NamedSums()
        self._kinds: NamedSums[Kind] = NamedSums()
        self.pairs: dict[Pair, int] = {}
        self._asked: dict[int | None, list[Amounts]] = {}
        self._missed: dict[Kind, list[int]] = {}
        self._waiting = 0
        self._at = self._second = 0

    @property
    def total(self) -> list[int]:
        """The sums of everything."""
        self._add_up()
        return self._total

    @property
    def seconds(self) -> Counters:
        """The same, second by second."""
        self._add_up()
        return self._seconds

    @property
    def spaces(self) -> NamedSums[int | None]:
        """The sums of each namespace."""
        self._add_up()
        return self._spaces

    @property
    def kinds(self) -> NamedSums[Kind]:
        """The sums of what was missed of each kind of segments."""
        self._add_up()
        return self._kinds

    def count(self, life: Life, amounts: Amounts, at: int) -> None:
        """Count what became of a prompt, but for what was computed again."""
        second = at // SECOND_NS
        if second != self._second or self._waiting >= MOST_WAITING:
            self._add_up()
            self._second = second
        self._at = at
        self._waiting += 1
        asked = self._asked.get(life.namespace)
        if asked is None:
            asked = self._asked[life.namespace] = []
        asked.append(amounts)
        self._count_pieces(life, amounts)

    def _count_pieces(self, life: Life, amounts: Amounts) -> None:
        left = amounts[PROMPT] - amounts[DEVICE] - amounts[LOADED]
        columns = COLUMN
        line: list[int] | None = None
        line_label: int | None = None
        for start, end, miss, label, gone in life.parts():
            column = columns[miss]
            tokens = end - start
            if tokens > amounts[column]:  # records that cannot be true say more
                tokens = amounts[column]
            left -= tokens
            if line is None or label != line_label:
                line, line_label = self._line_of(label), label
            line[column] += tokens
            line[PROMPT] += tokens
            if miss == "evicted" or miss == "window_gone":
                pair = None if gone is None else gone.namespace, life.namespace
                pair = pair if pair in self.pairs or len(self.pairs) < MOST_PAIRS else REST
                self.pairs[pair] = self.pairs.get(pair, 0) + tokens
        if left > 0:
            line = self._line(None)
            line[UNKNOWN] += left
            line[PROMPT] += left

    def _line_of(self, label: int | None) -> list[int]:
        """Return what waits to be added to the kind of a label, in which the request that is counted is one more."""
        line = self._line(None if label is None else self._kind_of(label))
        if line[_COUNTED] != self._waiting:
            line[_COUNTED] = self._waiting
            line[REQUESTS] += 1
        return line

    def _line(self, kind: Kind) -> list[int]:
        line = self._missed.get(kind)
        if line is None:
            line = self._missed[kind] = [0] * (COLUMNS + 1)
        return line

    def _add_up(self) -> None:
        """Add up the requests that wait, all of one second."""
        if not self._waiting:
            return
        self._waiting, at = 0, self._at
        everything = (self._total, self._seconds.row(at))
        for space, asked in self._asked.items():
            sums = [*map(sum, zip(*asked, strict=True))]
            sums[RETRACTED] = 0
            _add_to((*everything, *self._spaces.lines(space, at)), sums)
        for kind, missed in self._missed.items():
            _add_to(self._kinds.lines(kind, at), missed[:COLUMNS])
        self._asked.clear()
        self._missed.clear()

    def recount(self, life: Life, before: Amounts, after: Amounts, at: int) -> None:
        """Replace what a request counted as: it loaded other tokens from the host than it seemed."""
        kind = self._kind_of(life.hit_label)
        lines = (self.total, self.seconds.row(at)), self.spaces.lines(life.namespace, at)
        for column, (was, now) in enumerate(zip(before, after, strict=True)):
            if column == RETRACTED or was == now:
                continue
            for total, second in lines:
                total[column] += now - was
                second[column] += now - was
            if column >= _FIRST_MISSED:
                self._add(kind, column, now - was, at)

    def again(self, life: Life, tokens: int, at: int) -> None:
        """Count what a request computed again after a retraction."""
        lines = (
            (self.total, self.seconds.row(at)),
            self.spaces.lines(life.namespace, at),
            self.kinds.lines(self._kind_of(life.last_label), at),
        )
        for total, second in lines:
            total[RETRACTED] += tokens
            second[RETRACTED] += tokens

    def also(self, column: int, amount: int, at: int) -> None:
        """Count in a column of the probe's own."""
        self._total[column] += amount
        self._seconds.row(at)[column] += amount

    def _add(self, kind: Kind, column: int, tokens: int, at: int) -> None:
        for line in self.kinds.lines(kind, at):
            line[column] += tokens
            line[PROMPT] += tokens


def _add_to(lines: Iterable[list[int]], sums: list[int]) -> None:
    for line in lines:
        for column, tokens in enumerate(sums):
            if tokens:
                line[column] += tokens

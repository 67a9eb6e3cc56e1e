"""Sums of what became of prompts: over time, by namespace, by workload segment, and by who evicted what came back."""

from __future__ import annotations

from collections.abc import Callable

from probes.lives.misses import COLUMN, COLUMNS, PROMPT, REQUESTS, RETRACTED, UNKNOWN, Amounts
from probes.lives.named_sums import NamedSums
from probes.lives.request_life import Life
from probes.window import Counters

MOST_PAIRS = 1 << 10
"""So many pairs of namespaces have sums of their own; later ones share one."""

Pair = tuple[int | None, int | None]
"""Who evicted, None where nobody is named, and whose tokens those were."""

REST: Pair = (-1, -1)
"""The pair of all that came too late for one of their own."""

Kind = str | None
"""What segments are called without their numbers: "question" of "question 17". None of what has no label."""


_FIRST_MISSED = COLUMN["first_seen"]


class MissSums:
    """Lives on and is written by one probe: read it on the thread that ticks.

    `width` columns count for everything: those of `Amounts`, then whatever else the probe counts with a request.
    `kinds` has what was missed alone: the prompts of a kind are the tokens of it that were missed.
    """

    __slots__ = ("_kind_of", "kinds", "pairs", "seconds", "spaces", "total")

    def __init__(self, width: int = COLUMNS, kind_of: Callable[[int | None], Kind] = lambda label: None) -> None:
        self._kind_of = kind_of
        self.total = [0] * width
        self.seconds = Counters(width)
        self.spaces: NamedSums[int | None] = NamedSums()
        self.kinds: NamedSums[Kind] = NamedSums()
        self.pairs: dict[Pair, int] = {}

    def count(self, life: Life, amounts: Amounts, at: int) -> None:
        """Count what became of a prompt, but for what was computed again."""
        total, second = self.total, self.seconds.row(at)
        of_space, in_space = self.spaces.lines(life.namespace, at)
        for column, tokens in enumerate(amounts):
            if tokens and column != RETRACTED:
                total[column] += tokens
                second[column] += tokens
                of_space[column] += tokens
                in_space[column] += tokens
        self._count_pieces(life, amounts, at)

    def _count_pieces(self, life: Life, amounts: Amounts, at: int) -> None:
        left = sum(amounts[_FIRST_MISSED:]) - amounts[RETRACTED]
        met: dict[Kind, tuple[list[int], list[int]]] = {}
        kind_of, columns = self._kind_of, COLUMN
        for start, end, miss, label, gone in life.parts():
            column = columns[miss]
            tokens = end - start
            if tokens > amounts[column]:  # records that cannot be true say more
                tokens = amounts[column]
            left -= tokens
            kind = None if label is None else kind_of(label)
            lines = met.get(kind)
            if lines is None:
                lines = met[kind] = self.kinds.lines(kind, at)
                lines[0][REQUESTS] += 1
                lines[1][REQUESTS] += 1
            for line in lines:
                line[column] += tokens
                line[PROMPT] += tokens
            if miss == "evicted" or miss == "window_gone":
                pair = None if gone is None else gone.namespace, life.namespace
                pair = pair if pair in self.pairs or len(self.pairs) < MOST_PAIRS else REST
                self.pairs[pair] = self.pairs.get(pair, 0) + tokens
        if left > 0:
            self._add(None, UNKNOWN, left, at)

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
        self.total[column] += amount
        self.seconds.row(at)[column] += amount

    def _add(self, kind: Kind, column: int, tokens: int, at: int) -> None:
        for line in self.kinds.lines(kind, at):
            line[column] += tokens
            line[PROMPT] += tokens

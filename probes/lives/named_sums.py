"""Sums of missed tokens by name: of namespaces, and of workload segments."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, NamedTuple, TypeVar

from probes.lives.misses import COLUMNS, PROMPT, PromptTokens
from probes.window import HISTORY_SECONDS, SECOND_NS, Counters

Name = TypeVar("Name", bound=Hashable)

MOST_NAMED = 32
"""So many names have sums of their own, at about 12 KB each. A later one takes the place of the least of those that
were quiet for a minute, whose sums join those of all others; while there is none, it counts among the others."""

_QUIET_NS = (HISTORY_SECONDS + 1) * SECOND_NS


class NamedTokens(NamedTuple):
    """What became of the tokens of one name; `is_rest` for all others together."""

    name: object
    total: PromptTokens
    last_minute: PromptTokens = PromptTokens()
    is_rest: bool = False


class _Row:
    __slots__ = ("last_at", "seconds", "total")

    def __init__(self, at: int) -> None:
        self.total = [0] * COLUMNS
        self.seconds = Counters(COLUMNS)
        self.last_at = at


class NamedSums(Generic[Name]):
    """Bounded sums by name. The rows and the rest add up to everything that was added."""

    __slots__ = ("_quiet_from", "_rest", "_rows")

    def __init__(self) -> None:
        self._rows: dict[Name, _Row] = {}
        self._rest: _Row | None = None
        self._quiet_from = 0

    def lines(self, name: Name, at: int) -> tuple[list[int], list[int]]:
        """Return the sums of a name, and those of the second of `at`, in the columns of `Amounts`, to be added to."""
        row = self._rows.get(name) or self._row(name, at)
        row.last_at = at
        return row.total, row.seconds.row(at)

    def __len__(self) -> int:
        """Return how many names have sums of their own."""
        return len(self._rows)

    def tokens(self, now: int, most: int = MOST_NAMED) -> Iterator[NamedTokens]:
        """Yield the sums of each name, or of so many, the most prompt tokens first, and the rest if there is one."""
        for each, row in self._listed(most):
            yield each._replace(last_minute=PromptTokens(*row.seconds.sums(now, HISTORY_SECONDS)))

    def totals(self) -> Iterator[NamedTokens]:
        """Yield the same without the last minute."""
        for each, _ in self._listed(MOST_NAMED):
            yield each

    def _listed(self, most: int) -> Iterator[tuple[NamedTokens, _Row]]:
        rows = sorted(self._rows.items(), key=lambda each: -each[1].total[PROMPT])
        for name, row in rows[:most]:
            yield NamedTokens(name, PromptTokens(*row.total)), row
        if self._rest is not None:
            yield NamedTokens(None, PromptTokens(*self._rest.total), is_rest=True), self._rest

    def history(self, name: Name, now: int) -> list[list[int]]:
        """Return a minute of `Amounts` of one name, oldest first, the running second last."""
        row = self._rows.get(name)
        return [] if row is None else row.seconds.history(now)

    def _row(self, name: Name, at: int) -> _Row:
        rows = self._rows
        if len(rows) >= MOST_NAMED and not self._makes_way(at):
            if self._rest is None:
                self._rest = _Row(at)
            return self._rest
        row = rows[name] = _Row(at)
        return row

    def _makes_way(self, at: int) -> bool:
        """Join the least of the quiet names with the rest; say whether there was one."""
        if at < self._quiet_from:
            return False
        quiet = [(row.total[PROMPT], place, name) for place, (name, row) in enumerate(self._rows.items())
                 if row.last_at + _QUIET_NS <= at]  # fmt: skip
        if not quiet:
            self._quiet_from = min(row.last_at for row in self._rows.values()) + _QUIET_NS
            return False
        gone = self._rows.pop(min(quiet)[2])
        if self._rest is None:
            self._rest = _Row(at)
        self._rest.total = [a + b for a, b in zip(self._rest.total, gone.total, strict=True)]
        return True

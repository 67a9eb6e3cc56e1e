"""Sums of what became of prompts: over time, by namespace, by workload segment, and by who evicted what came back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from probes.lives.misses import COLUMN, COLUMNS, PROMPT, REQUESTS, RETRACTED, Amounts
from probes.lives.named_sums import NamedSums
from probes.lives.request_life import Life
from probes.window import Counters

MOST_PAIRS = 1 << 10
"""So many pairs of namespaces have sums of their own; later ones share one."""

Pair = tuple[int | None, int | None]
"""Who evicted, None where nobody is named, and whose tokens those were."""

REST: Pair = (-1, -1)
"""The pair of all that came too late for one of their own."""

_BY_OTHERS = frozenset({"evicted", "window_gone"})


class Counted(NamedTuple):
    """What a request was counted as: when, in which namespace, with which sums besides `amounts`.

    `labels` are (segment, column, tokens) of what was missed, `evictors` (namespace, tokens) of what had to be
    computed again because somebody evicted it.
    """

    at: int
    namespace: int | None
    amounts: Amounts
    labels: tuple[tuple[int | None, int, int], ...]
    evictors: tuple[tuple[int | None, int], ...]
    extra: Sequence[int] = ()


class MissSums:
    """Lives on and is written by one probe: read it on the thread that ticks.

    `width` columns count for everything: those of `Amounts`, then whatever else the probe counts with a request.
    """

    __slots__ = ("labels", "pairs", "seconds", "spaces", "total")

    def __init__(self, width: int = COLUMNS) -> None:
        self.total = [0] * width
        self.seconds = Counters(width)
        self.spaces = NamedSums()
        self.labels = NamedSums()
        self.pairs: dict[Pair, int] = {}

    def count(self, counted: Counted, sign: int = 1) -> None:
        """Count a request, or take out what it was counted as."""
        at, amounts = counted.at, counted.amounts
        total, second = self.total, self.seconds.row(at)
        for column, tokens in enumerate((*amounts, *counted.extra)):
            if tokens:
                total[column] += sign * tokens
                second[column] += sign * tokens
        self.spaces.add_all(counted.namespace, at, amounts, sign)
        for label, column, tokens in counted.labels:
            self.labels.add(label, at, column, sign * tokens)
        for evictor, tokens in counted.evictors:
            self._pair((evictor, counted.namespace), sign * tokens)

    def again(self, life: Life, at: int, tokens: int) -> None:
        """Count what a request computed again after a retraction."""
        self.total[RETRACTED] += tokens
        self.seconds.row(at)[RETRACTED] += tokens
        self.spaces.add(life.namespace, at, RETRACTED, tokens)
        self.labels.add(life.last_label, at, RETRACTED, tokens)

    def _pair(self, pair: Pair, tokens: int) -> None:
        pairs = self.pairs
        if pair not in pairs and len(pairs) >= MOST_PAIRS:
            pair = REST
        pairs[pair] = pairs.get(pair, 0) + tokens


def counted(life: Life, at: int, extra: Sequence[int] = ()) -> Counted:
    """Return what a request counts as now, without what it computed again."""
    amounts = life.amounts()
    amounts = (*amounts[:RETRACTED], 0, *amounts[RETRACTED + 1 :])
    left = list(amounts)
    labels: dict[tuple[int | None, int], int] = {}
    evictors: dict[int | None, int] = {}
    for start, end, miss, label, leaving in life.parts():
        column = COLUMN[miss]
        tokens = min(end - start, left[column])  # of records that cannot be true, not all is counted
        left[column] -= tokens
        place = label, column
        labels[place] = labels.get(place, 0) + tokens
        if miss in _BY_OTHERS:
            by = None if leaving is None else leaving.namespace
            evictors[by] = evictors.get(by, 0) + tokens
    for column in COLUMN.values():
        if left[column]:
            labels[None, column] = labels.get((None, column), 0) + left[column]
    sums: dict[int | None, int] = {}
    for (label, _), tokens in labels.items():
        sums[label] = sums.get(label, 0) + tokens
    flows = [(label, column, tokens) for (label, column), tokens in labels.items() if tokens]
    flows += [(label, column, tokens) for label, most in sums.items() for column, tokens in
              ((REQUESTS, 1), (PROMPT, most))]  # fmt: skip
    return Counted(at, life.namespace, amounts, tuple(flows), tuple(evictors.items()), extra)

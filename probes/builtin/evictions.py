"""What evictions freed, and what they cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from operator import add
from types import MappingProxyType

from cache_core.events import Evict
from probes.fold import Folds
from probes.histogram import Histogram, Quantiles
from probes.mirror import Mirror
from probes.probe import Probe
from probes.second_costs import SecondCosts
from probes.window import HISTORY_SECONDS, SECOND_NS, Counters, ratios

RECENT_EVENTS = 200
"""How many calls the feed keeps."""

_CALLS, _VICTIMS, _CASCADES, _LEAVES, _POPS, _STALE, _BUILD_NS, _TIMED, _TIMED_VICTIMS, _NS = range(10)
_TOLD = _LEAVES, _BUILD_NS, _POPS, _STALE, _VICTIMS, _CASCADES
"""The counts of a record, in its order; a negative one is unknown."""

_BLANK: tuple[float | None, ...] = (None,) * HISTORY_SECONDS


@dataclass(frozen=True, slots=True)
class EvictionEvent:
    """One component's share of an evict call; `freed_tokens` is keyed by component."""

    at: int
    component: str
    asked_tokens: int
    freed_tokens: Mapping[str, int]
    victims: int | None
    cascades: int | None
    duration_ns: int
    leaves_considered: int | None


@dataclass(frozen=True, slots=True)
class EvictionMinute:
    """The calls of the last minute, or of `elapsed_ns` where records are younger.

    `timed_*` are of those calls whose duration was measured; `queue_build_ns` is a part of it. A count that some call
    of this source left unknown is None.
    """

    elapsed_ns: int = 0
    calls: int = 0
    victims: int | None = 0
    leaves_considered: int | None = 0
    pops: int | None = 0
    stale_pops: int | None = 0
    timed_calls: int = 0
    timed_victims: int | None = 0
    timed_ns: int = 0
    queue_build_ns: int | None = 0


@dataclass(frozen=True, slots=True)
class EvictionSample:
    """Sums since the watch began, the cost of a call in ns as far as calls were timed, and the newest calls first.

    A sum that some call left unknown is None.
    Histories have a point a second, oldest first: the mean, the middle and the most of what a call cost in ns, the
    leaves considered for each victim, calls; None where there was none. `freed_rates` are tokens a second.
    """

    calls: int
    victims: int | None
    cascades: int | None
    freed_tokens: Mapping[str, int]
    leaves_considered: int | None
    queue_build_ns: int | None
    pops: int | None
    stale_pops: int | None
    cost: Quantiles
    recent: tuple[EvictionEvent, ...]
    history: tuple[float | None, ...]
    last_minute: EvictionMinute = EvictionMinute()
    middle_history: tuple[float | None, ...] = _BLANK
    most_history: tuple[float | None, ...] = _BLANK
    leaves_history: tuple[float | None, ...] = _BLANK
    calls_history: tuple[float | None, ...] = _BLANK
    freed_rates: Mapping[str, tuple[float | None, ...]] = field(default_factory=lambda: MappingProxyType({}))


class Evictions(Probe):
    """Adds up evict calls."""

    needs = frozenset({Evict})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._total = [0] * 10
        self._freed_tokens: list[int] = []
        self._freed: list[Counters] = []
        self._cost = Histogram()
        self._costs = SecondCosts()
        self._unshown: deque[Evict] = deque(maxlen=RECENT_EVENTS)
        self._recent: deque[EvictionEvent] = deque(maxlen=RECENT_EVENTS)
        self._seconds = Counters(10)
        self._first_at = 0
        self._waiting: list[Evict] = []
        self._unknown: set[int] = set()

    def folds(self) -> Folds:
        """See Probe."""
        return {Evict: self._waiting.append}

    def advance(self, records: int, since: int, until: int) -> None:
        """See Probe."""
        self._first_at = self._first_at or since
        self._take_in()

    def sample(self, now: int) -> EvictionSample:
        """See Probe."""
        self._take_in()
        self._recent.extendleft(map(self._event, self._unshown))
        self._unshown.clear()
        rows = self._seconds.history(now)
        middle, most = self._costs.history(now)
        return EvictionSample(
            calls=self._total[_CALLS],
            victims=self._known(self._total, _VICTIMS),
            cascades=self._known(self._total, _CASCADES),
            leaves_considered=self._known(self._total, _LEAVES),
            queue_build_ns=self._known(self._total, _BUILD_NS),
            pops=self._known(self._total, _POPS),
            stale_pops=self._known(self._total, _STALE),
            freed_tokens=self._by_component(self._freed_tokens),
            cost=self._cost.quantiles(),
            recent=tuple(self._recent),
            history=ratios(rows, _NS, _TIMED),
            last_minute=self._minute(rows, now),
            middle_history=middle,
            most_history=most,
            leaves_history=_BLANK if self._unknown & {_LEAVES, _VICTIMS} else ratios(rows, _LEAVES, _VICTIMS),
            calls_history=self._seconds.rates(now, _CALLS),
            freed_rates=MappingProxyType(
                {
                    self.mirror.component_name(component): seconds.rates(now, 0)
                    for component, seconds in enumerate(self._freed)
                }
            ),
        )

    def _minute(self, rows: list[list[int]], now: int) -> EvictionMinute:
        sums = [sum(column) for column in zip(*rows, strict=True)]
        whole = (HISTORY_SECONDS - 1) * SECOND_NS + now % SECOND_NS
        elapsed_ns = min(whole, max(0, now - self._first_at)) if self._first_at else 0
        return EvictionMinute(
            elapsed_ns=elapsed_ns,
            calls=sums[_CALLS],
            victims=self._known(sums, _VICTIMS),
            leaves_considered=self._known(sums, _LEAVES),
            pops=self._known(sums, _POPS),
            stale_pops=self._known(sums, _STALE),
            timed_calls=sums[_TIMED],
            timed_victims=None if _VICTIMS in self._unknown else sums[_TIMED_VICTIMS],
            timed_ns=sums[_NS],
            queue_build_ns=self._known(sums, _BUILD_NS),
        )

    def _known(self, sums: list[int], which: int) -> int | None:
        return None if which in self._unknown else sums[which]

    def _take_in(self) -> None:
        """Count the calls that wait, those of a second at once, which takes less than to count each."""
        by_second: dict[int, list[Evict]] = {}
        for record in self._waiting:
            by_second.setdefault(record.at // SECOND_NS, []).append(record)
        for calls in by_second.values():
            self._count(calls)
        self._unshown.extend(self._waiting)
        self._waiting.clear()

    def _count(self, calls: list[Evict]) -> None:
        """Count calls of one second."""
        at = calls[0].at
        _, durations, _, _, *numbers, freed = zip(*calls, strict=True)
        self._unknown.update(which for which, column in zip(_TOLD, numbers, strict=True) if min(column) < 0)
        leaves, build_ns, pops, stale_pops, victims, cascades = map(sum, numbers)
        timed = [call for call in calls if call.duration_ns]
        amounts = [0] * 10
        amounts[_CALLS], amounts[_VICTIMS], amounts[_CASCADES] = len(calls), victims, cascades
        amounts[_LEAVES], amounts[_BUILD_NS] = leaves, build_ns
        amounts[_POPS], amounts[_STALE] = pops, stale_pops
        amounts[_TIMED], amounts[_TIMED_VICTIMS] = len(timed), sum(call.victims for call in timed)
        amounts[_NS] = sum(durations)
        for row in (self._total, self._seconds.row(at)):
            row[:] = map(add, row, amounts)
        for call in timed:
            self._cost.add(call.duration_ns)
            self._costs.add(call.at, call.duration_ns)
        self._count_freed(map(sum, zip_longest(*freed, fillvalue=0)), at)

    def _count_freed(self, freed: Iterable[int], at: int) -> None:
        for component, tokens in enumerate(freed):
            if component == len(self._freed):
                self._freed.append(Counters(1))
                self._freed_tokens.append(0)
            self._freed_tokens[component] += tokens
            self._freed[component].row(at)[0] += tokens

    def _event(self, record: Evict) -> EvictionEvent:
        return EvictionEvent(
            at=record.at,
            component=self.mirror.component_name(record.component),
            asked_tokens=record.asked_tokens,
            freed_tokens=self._by_component(record.freed_tokens),
            victims=_told(record.victims),
            cascades=_told(record.cascades),
            duration_ns=record.duration_ns,
            leaves_considered=_told(record.leaves_considered),
        )

    def _by_component(self, tokens: Sequence[int]) -> Mapping[str, int]:
        named = {self.mirror.component_name(component): freed for component, freed in enumerate(tokens)}
        return MappingProxyType(named)


def _told(number: int) -> int | None:
    return None if number < 0 else number

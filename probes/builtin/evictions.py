"""What evictions freed, and what they cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from cache_core.events import Evict
from probes.fold import Folds
from probes.histogram import Histogram, Quantiles
from probes.mirror import Mirror
from probes.probe import Probe
from probes.window import Counters, ratios

RECENT_EVENTS = 200
"""How many calls the feed keeps."""

_SUMMED = ("victims", "cascades", "leaves_considered", "queue_build_ns", "pops", "stale_pops")
_CALLS, _NS = range(2)


@dataclass(frozen=True, slots=True)
class EvictionEvent:
    """One component's share of an evict call; `freed_tokens` is keyed by component."""

    at: int
    component: str
    asked_tokens: int
    freed_tokens: Mapping[str, int]
    victims: int
    cascades: int
    duration_ns: int
    leaves_considered: int


@dataclass(frozen=True, slots=True)
class EvictionSample:
    """Sums since the watch began, the cost of a call in ns as far as calls were timed, and the newest calls first.

    `history` is the mean cost in ns of the calls of each second, oldest first; None where there was none.
    """

    calls: int
    victims: int
    cascades: int
    freed_tokens: Mapping[str, int]
    leaves_considered: int
    queue_build_ns: int
    pops: int
    stale_pops: int
    cost: Quantiles
    recent: tuple[EvictionEvent, ...]
    history: tuple[float | None, ...]


class Evictions(Probe):
    """Adds up evict calls."""

    needs = frozenset({Evict})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._sums = dict.fromkeys(_SUMMED, 0)
        self._freed_tokens: list[int] = []
        self._calls = 0
        self._cost = Histogram()
        self._recent: deque[EvictionEvent] = deque(maxlen=RECENT_EVENTS)
        self._unshown: deque[Evict] = deque(maxlen=RECENT_EVENTS)
        self._seconds = Counters(2)

    def folds(self) -> Folds:
        """See Probe."""
        return {Evict: self._evict}

    def sample(self, now: int) -> EvictionSample:
        """See Probe."""
        self._recent.extendleft(map(self._event, self._unshown))
        self._unshown.clear()
        return EvictionSample(
            calls=self._calls,
            freed_tokens=self._by_component(self._freed_tokens),
            cost=self._cost.quantiles(),
            recent=tuple(self._recent),
            history=ratios(self._seconds.history(now), _NS, _CALLS),
            **self._sums,
        )

    def _evict(self, record: Evict) -> None:
        self._calls += 1
        for name in _SUMMED:
            self._sums[name] += getattr(record, name)
        missing = len(record.freed_tokens) - len(self._freed_tokens)
        self._freed_tokens.extend([0] * missing)
        for component, tokens in enumerate(record.freed_tokens):
            self._freed_tokens[component] += tokens
        if record.duration_ns:
            self._cost.add(record.duration_ns)
            row = self._seconds.row(record.at)
            row[_CALLS] += 1
            row[_NS] += record.duration_ns
        self._unshown.append(record)

    def _event(self, record: Evict) -> EvictionEvent:
        return EvictionEvent(
            at=record.at,
            component=self.mirror.component_name(record.component),
            asked_tokens=record.asked_tokens,
            freed_tokens=self._by_component(record.freed_tokens),
            victims=record.victims,
            cascades=record.cascades,
            duration_ns=record.duration_ns,
            leaves_considered=record.leaves_considered,
        )

    def _by_component(self, tokens: Sequence[int]) -> Mapping[str, int]:
        named = {self.mirror.component_name(component): freed for component, freed in enumerate(tokens)}
        return MappingProxyType(named)

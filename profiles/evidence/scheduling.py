"""How waiting requests were ordered, who was admitted while a schedule had given up, and who was thrown out again."""

from __future__ import annotations

from cache_core.events import (
    OUT_OF_SLOTS,
    EngineStep,
    Evict,
    RequestAdmitted,
    RequestFinished,
    RequestQueued,
    RequestRefused,
    RequestRetracted,
    SchedulePass,
)
from probes.fold import Folds
from probes.histogram import Histogram
from probes.lives.gaps import STATES
from probes.lives.request_life import Life
from probes.newest import forget_oldest
from probes.plausible import MOST_TOKENS, measured
from probes.prefill_rate import PrefillRate
from profiles.evidence.accounts import Lost
from profiles.evidence.evidence import Work
from profiles.evidence.requests import Retractions, Scheduling, Waits
from profiles.evidence.scope import Scope

_MOST_FOLLOWED = 1 << 16
_TIMES, _AWAY, _SHORT = range(3)
WARM, COLD = 0.5, 0.1
"""A request that hits at least so much of its prompt, and one that hits less than that."""


class Queue:
    """Follows the passes in which waiting requests were put in order, and how long requests waited."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._passes = self._fallbacks = self._most_waiting = 0
        self._limit: int | None = None
        self._since: int | None = None
        self._is_fallen = False
        self._fallen: dict[int, None] = {}
        self._requests = 0
        self._lost: dict[str, int] = {}
        self._warm, self._cold = Histogram(), Histogram()
        self._longest = (0, -1)

    def folds(self) -> Folds:
        """Return what takes which record class."""
        return {SchedulePass: self._pass, RequestAdmitted: self._admitted}

    def take(self, life: Life, lost: Lost) -> None:
        """Count a request that ended."""
        if life.request in self._fallen:
            del self._fallen[life.request]
            self._requests += 1
            for name, tokens in lost.items():
                self._lost[name] = self._lost.get(name, 0) + tokens
        if life.queued_ns is None or not life.prompt_tokens:
            return
        share = (life.device + life.loaded) / life.prompt_tokens
        if share >= WARM:
            self._warm.add(life.queued_ns)
        elif share < COLD:
            self._cold.add(life.queued_ns)
        self._longest = max(self._longest, (life.queued_ns, life.request))

    def scheduling(self) -> Scheduling:
        """Return what is known of the passes."""
        return Scheduling(
            passes=self._passes or None,
            fallbacks=self._fallbacks,
            most_waiting=self._most_waiting,
            limit=self._limit,
            since_ns=self._scope.since(self._since),
            requests=self._requests,
            lost=dict(self._lost),
        )

    def waits(self) -> Waits:
        """Return how long requests waited."""
        warm, cold = self._warm, self._cold
        return Waits(warm.count, cold.count, warm.quantile(0.5), cold.quantile(0.5), *self._longest)

    def _pass(self, record: SchedulePass) -> None:
        self._is_fallen = record.fell_back > 0
        if not self._scope.counts(record.at):
            return
        self._passes += 1
        self._most_waiting = max(self._most_waiting, record.waiting)
        self._limit = record.limit if record.limit >= 0 else None
        if self._is_fallen:
            self._fallbacks += 1
            self._since = record.at if self._since is None else self._since

    def _admitted(self, record: RequestAdmitted) -> None:
        self._scope.sees(record.at)
        if self._is_fallen:
            self._fallen[record.request] = None
            if len(self._fallen) > _MOST_FOLLOWED:
                forget_oldest(self._fallen)


class _Sums:
    __slots__ = ("requests", "retractions", "since", "tokens")

    def __init__(self) -> None:
        self.retractions = self.requests = self.tokens = 0
        self.since: int | None = None


class ThrownOut:
    """Counts retractions for want of slots, and what those who come back compute again: of tokens, and of states.

    What was short is the component of the newest evict call that freed less than it was asked for.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._sums = _Sums(), _Sums()
        self._short = 0
        self._out: dict[int, list[int]] = {}  # how often it was thrown out, 1 while it is not back, for want of what

    def folds(self) -> Folds:
        """Return what takes which record class."""
        return {
            RequestRetracted: self._retracted, RequestAdmitted: self._admitted, RequestFinished: self._ended,
            RequestRefused: self._refuse, Evict: self._evict,
        }  # fmt: skip

    def frozen(self) -> tuple[Retractions, Retractions]:
        """Return what is known of them: for want of tokens, and of states."""
        since = self._scope.since
        tokens, states = (
            Retractions(sums.retractions, sums.requests, sums.tokens, since(sums.since)) for sums in self._sums
        )
        return tokens, states

    def _evict(self, record: Evict) -> None:
        freed = record.freed_tokens
        if 0 <= record.component < len(freed) and freed[record.component] < record.asked_tokens:
            self._short = int(self._scope.mirror.component_name(record.component) == STATES)

    def _retracted(self, record: RequestRetracted) -> None:
        if record.reason not in (0, OUT_OF_SLOTS):
            self._out.pop(record.request, None)
            return
        is_new = record.request not in self._out
        times = self._out.setdefault(record.request, [0, 0, 0])
        times[_AWAY], times[_SHORT] = 1, self._short
        if self._scope.counts(record.at):
            times[_TIMES] += 1
            sums = self._sums[self._short]
            sums.retractions += 1
            sums.requests += is_new
            sums.since = record.at if sums.since is None else sums.since
        if len(self._out) > _MOST_FOLLOWED:
            forget_oldest(self._out)

    def _admitted(self, record: RequestAdmitted) -> None:
        """Count what a request that is back has to compute: it had computed most of it."""
        times = self._out.get(record.request)
        if times is not None and times[_AWAY] and self._scope.counts(record.at):
            again = record.prompt_tokens - max(0, record.device_hit_tokens) - max(0, record.host_hit_tokens)
            self._sums[times[_SHORT]].tokens += min(MOST_TOKENS, max(0, again))
            times[_AWAY] = 0

    def _ended(self, record: RequestFinished) -> None:
        self._out.pop(record.request, None)

    def _refuse(self, record: RequestRefused) -> None:
        """Take back that it was thrown out: who is refused then made way for nobody."""
        times = self._out.pop(record.request, None)
        if times is not None and times[_AWAY] and times[_TIMES]:
            sums = self._sums[times[_SHORT]]
            sums.retractions -= 1
            sums.requests -= times[_TIMES] == 1
            sums.since = sums.since if sums.retractions else None


class Steps:
    """Adds up the steps of the engine, and knows who waits and runs after the newest one."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._steps = self._ns = self._prefill = 0
        self._rate = PrefillRate()
        self._decode = Histogram()
        self.queue: tuple[int, int] | None = None
        self._waiting: set[int] = set()

    def folds(self) -> Folds:
        """Return what takes which record class."""
        return {EngineStep: self._step, RequestQueued: self._queued}

    def frozen(self) -> Work:
        """Return what is known of the work."""
        rate = self._rate.tokens_per_s
        price = self._rate.ns_per_token or (round(1e9 / rate) if rate else None)
        middle = self._decode.quantile(0.5)
        return Work(self._steps, self._ns, self._prefill, price, None if middle is None else round(middle))

    def _queued(self, record: RequestQueued) -> None:
        self._scope.sees(record.at)

    def _step(self, record: EngineStep) -> None:
        self.queue = record.waiting, record.running
        if self._scope.counts(record.at):
            self._steps += 1
            self._ns += record.duration_ns if measured(record.duration_ns) else 0
            self._prefill += min(MOST_TOKENS, max(0, record.prefill_tokens))
            self._rate.step(record)
            if record.decode_tokens and not record.prefill_tokens and measured(record.duration_ns):
                self._decode.add(record.duration_ns)

"""Where requests are in their life, and how long the first token took."""

from __future__ import annotations

from dataclasses import dataclass, field

from cache_core.events import (
    EngineStep,
    RequestAdmitted,
    RequestFinished,
    RequestFirstToken,
    RequestQueued,
    RequestRefused,
    RequestRetracted,
    SchedulePass,
)
from probes.fold import Folds
from probes.histogram import Histogram, Quantiles
from probes.mirror import Mirror
from probes.newest import forget_oldest
from probes.probe import Probe
from probes.window import Counters, ratios

_MOST_UNANSWERED = 1 << 16
_FIRST_TOKENS, _NS = range(2)


@dataclass(frozen=True, slots=True)
class RequestsSample:
    """Requests waiting and running now (None when that is not known) and counts since the watch began.

    `ttft` is the time from queueing to the first token in ns; `ttft_history` is its mean of each second, oldest
    first. `queued` is the time from queueing to admission in ns, of each time that a request waited. Of the passes in
    which waiting requests were put in order, `fallbacks` are those that gave up their schedule because too many
    waited, and `deferrals` add up who was put off in each; None from a source that says nothing of its passes.
    """

    waiting: int | None
    running: int | None
    admitted: int
    finished: int
    retracted: int
    refused: int
    ttft: Quantiles
    ttft_history: tuple[float | None, ...]
    schedule_passes: int | None = None
    deferrals: int | None = None
    fallbacks: int | None = None
    queued: Quantiles = field(default_factory=Quantiles)


class Requests(Probe):
    """Follows requests from queue to end.

    As long as no record was missed, who waits and who runs is known by name. After a loss the counts that the engine
    states with each step, and who came and went since, are all there is; a source without an engine then leaves it
    unknown.
    """

    needs = frozenset({RequestAdmitted, RequestFinished, RequestRetracted})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._complete = True
        self._has_queue = False
        self._waiting: dict[int, int] = {}
        self._running: set[int] = set()
        self._queued_at: dict[int, int] = {}
        self._stated: list[int] | None = None
        self._counts = {"admitted": 0, "finished": 0, "retracted": 0, "refused": 0}
        self._passes: dict[str, int] = {}
        self._ttft = Histogram()
        self._stays = Histogram()
        self._seconds = Counters(2)

    def folds(self) -> Folds:
        """See Probe."""
        return {
            RequestQueued: self._queued, RequestAdmitted: self._admitted, RequestFirstToken: self._first_token,
            RequestFinished: self._finished, RequestRetracted: self._retracted, RequestRefused: self._refused,
            EngineStep: self._engine_step, SchedulePass: self._schedule_pass,
        }  # fmt: skip

    def sample(self, now: int) -> RequestsSample:
        """See Probe."""
        waiting, running = self._now()
        return RequestsSample(
            waiting=waiting,
            running=running,
            ttft=self._ttft.quantiles(),
            queued=self._stays.quantiles(),
            ttft_history=ratios(self._seconds.history(now), _NS, _FIRST_TOKENS),
            **self._counts,
            **self._passes,
        )

    def lost(self) -> None:
        """See Probe."""
        self._complete = False
        self._waiting.clear()
        self._running.clear()
        self._queued_at.clear()
        self._stated = None

    def _now(self) -> tuple[int | None, int | None]:
        if self._complete:
            return len(self._waiting) if self._has_queue else None, len(self._running)
        if self._stated is None:
            return None, None
        waiting, running = self._stated
        return max(0, waiting), max(0, running)

    def _move(self, waiting: int, running: int) -> None:
        """Keep what the engine stated last true until it states it anew."""
        if self._stated is not None:
            self._stated[0] += waiting
            self._stated[1] += running

    def _queued(self, record: RequestQueued) -> None:
        self._has_queue = True
        self._waiting.setdefault(record.request, record.at)
        self._move(1, 0)
        self._queued_at.setdefault(record.request, record.at)
        if len(self._queued_at) > _MOST_UNANSWERED:  # those at the front were aborted long ago
            forget_oldest(self._queued_at)

    def _admitted(self, record: RequestAdmitted) -> None:
        self._counts["admitted"] += 1
        waiting_since = self._waiting.pop(record.request, None)
        if waiting_since is not None:
            self._stays.add(record.at - waiting_since)
        self._running.add(record.request)
        self._move(-1, 1)

    def _first_token(self, record: RequestFirstToken) -> None:
        queued_at = self._queued_at.pop(record.request, None)
        if queued_at is None:
            return  # queued before the watch began
        self._ttft.add(record.at - queued_at)
        row = self._seconds.row(record.at)
        row[_FIRST_TOKENS] += 1
        row[_NS] += record.at - queued_at

    def _finished(self, record: RequestFinished) -> None:
        self._counts["finished"] += 1
        self._move(0, -1)
        self._end(record.request)

    def _retracted(self, record: RequestRetracted) -> None:
        """It is queued again unless it was aborted; until its first token it has been waiting since it came."""
        self._counts["retracted"] += 1
        self._move(0, -1)
        self._running.discard(record.request)

    def _refused(self, record: RequestRefused) -> None:
        self._counts["refused"] += 1
        self._move(-1, 0)
        self._end(record.request)

    def _end(self, request: int) -> None:
        self._waiting.pop(request, None)
        self._running.discard(request)
        self._queued_at.pop(request, None)

    def _engine_step(self, record: EngineStep) -> None:
        self._stated = [record.waiting, record.running]

    def _schedule_pass(self, record: SchedulePass) -> None:
        passes = self._passes or {"schedule_passes": 0, "deferrals": 0, "fallbacks": 0}
        passes["schedule_passes"] += 1
        passes["deferrals"] += record.deprioritised
        passes["fallbacks"] += record.fell_back
        self._passes = passes

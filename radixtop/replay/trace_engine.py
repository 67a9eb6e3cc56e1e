"""The virtual engine of a replay: it knows which request of the trace each of its own is."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from cache_core.cache import PrefixCache
from cache_core.engine.work import Work
from profiles.trace import TraceRequest
from radixtop.replay.prompts import Prompts
from radixtop.replay.settings import ReplaySettings
from radixtop.replay.virtual_clock import VirtualClock
from radixtop.replay.virtual_engine import VirtualEngine


class TraceEngine(VirtualEngine):
    """Serves requests of a trace; what each says is made up by `prompts`. `passing` is VirtualEngine's."""

    def __init__(
        self,
        cache: PrefixCache,
        settings: ReplaySettings,
        clock: VirtualClock,
        prompts: Prompts,
        passing: Callable[[int], object],
    ) -> None:
        config = settings.engine_config()
        super().__init__(cache, config, settings.costs, clock=clock, voice=self._say, passing=passing)
        self.prompts = prompts
        self.computed_tokens = 0
        """Prompt tokens computed so far, those of retracted requests as often as that was."""
        self._outstanding: dict[int, tuple[int, TraceRequest]] = {}
        self._started: dict[int, int] = {}
        self._said: dict[int, array[int]] = {}

    def arrive(self, number: int, request: TraceRequest) -> None:
        """Submit a request of the trace, with its number in it, at the time of the clock."""
        request_id = self.submit(self.prompts.generate(request))
        self._outstanding[request_id] = (number, request)
        self._said[request_id] = self.prompts.answer(request)

    def leave(self, request_id: int) -> tuple[int, TraceRequest, int | None]:
        """Forget a request that ended; return its number, itself, and when its first chunk began."""
        del self._said[request_id]
        return *self._outstanding.pop(request_id), self._started.pop(request_id, None)

    def _say(self, request_id: int, index: int) -> int:
        said = self._said[request_id]
        return said[index] if index < len(said) else said[-1]

    def _weight(self, work: Work) -> int:
        """See VirtualEngine; and take note of when a request began."""
        request_id = work.sequence.request_id
        if request_id not in self._started:
            self._started[request_id] = self.clock.now
        tokens = self.prompts.weight(self._outstanding[request_id][1], work)
        self.computed_tokens += tokens
        return tokens

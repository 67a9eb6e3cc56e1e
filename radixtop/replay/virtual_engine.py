"""The engine without a model: it schedules, takes slots and writes back as the real one does, and computes nothing.

A step takes as long as a cost model says, on a clock that is moved by nothing else. So queueing, times to the first
token, retractions and refusals are those of an engine of that speed: derived, not measured.
"""

from __future__ import annotations

from collections.abc import Callable

from cache_core.cache import PrefixCache
from cache_core.engine.config import EngineConfig
from cache_core.engine.loop import EngineLoop
from cache_core.engine.work import Choice, Work
from profiles.step_costs import StepCosts
from radixtop.replay.instant_traffic import InstantTraffic, instant_traffic
from radixtop.replay.made_up_outputs import Voice, drawn
from radixtop.replay.virtual_clock import VirtualClock

VOCABULARY = 32_000
_CERTAIN = float("inf")


class VirtualEngine(EngineLoop):
    """Serves requests over a cache that tells the time by `clock`: give both the same one.

    `voice` makes the outputs up. `passing` is called before time passes in a step, with the time at which the step
    will end: whoever submits what arrives meanwhile sets the clock to when it does.
    """

    def __init__(
        self,
        cache: PrefixCache,
        config: EngineConfig,
        costs: StepCosts,
        *,
        clock: VirtualClock,
        voice: Voice | None = None,
        passing: Callable[[int], object] | None = None,
    ) -> None:
        super().__init__(cache, config, {}, traffic=instant_traffic(cache), clock=clock)
        self.costs = costs
        self.clock = clock
        self._voice = voice or drawn(config.seed, VOCABULARY)
        self._passing = passing
        self._loaded_tokens = 0

    def _forward(self, works: list[Work]) -> list[Choice]:
        """Let the time of the step pass; see EngineLoop."""
        decode_requests = sum(work.decodes for work in works)
        prefill_tokens = sum(self._weight(work) for work in works if not work.decodes)
        until = self.clock.now + self.costs.step_ns(prefill_tokens, decode_requests, self._newly_loaded())
        if self._passing is not None:
            self._passing(until)
        self.clock.advance_to(until)
        voice = self._voice
        speakers = [work.sequence for work in works if work.speaks]
        return [Choice(voice(each.request_id, each.output_tokens), _CERTAIN) for each in speakers]

    def _weight(self, work: Work) -> int:
        """Return how many tokens a work computes."""
        return work.end - work.start

    def _newly_loaded(self) -> int:
        """Return how many tokens came from the host for this step."""
        if not isinstance(self.traffic, InstantTraffic):
            return 0
        before, self._loaded_tokens = self._loaded_tokens, self.traffic.loaded_tokens
        return self._loaded_tokens - before

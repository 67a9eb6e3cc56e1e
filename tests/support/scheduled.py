"""The engine's scheduler on a real cache without a model: what is prefilled, decoded and hit, and nothing else."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from cache_core import PrefixCache, check_integrity
from cache_core.engine.config import EngineConfig
from cache_core.engine.generation import Finished, GenerateRequest
from cache_core.engine.records import Emitter
from cache_core.engine.scheduler import Scheduler
from cache_core.engine.sequence import Sequence
from cache_core.engine.shape import LayerKind
from cache_core.schedule import ScheduleConfig
from tests.support.caches import tokens


class ScheduledEngine:
    """Steps as the engine does; every answer is token 1. The clock counts steps."""

    def __init__(self, cache: PrefixCache, schedule: str = "fcfs", **settings: object) -> None:
        rules = {name: settings.pop(name) for name in list(settings) if name in ScheduleConfig.__slots__}
        config = EngineConfig(
            schedule=schedule,
            schedule_config=ScheduleConfig(**rules),  # type: ignore[arg-type]
            **settings,  # type: ignore[arg-type]
        )
        windows: dict[LayerKind, int | None] = {LayerKind.FULL: None}
        if "swa" in cache.config.components:
            windows[LayerKind.WINDOW] = cache.config.window
        self.cache = cache
        self.steps = 0
        self.prefilled_tokens = 0
        self.longest_chunk = 0
        self.admitted: list[int] = []
        self.scheduler = Scheduler(cache, config, windows, Emitter(cache, lambda: self.steps))
        self._ids = 0

    def submit(self, prompt: str | array[int], output_tokens: int = 1, **more: object) -> int:
        """Queue a prompt, in the notation of `tests.support.caches` or as tokens, and return its id."""
        asked = array("i", tokens(prompt)) if isinstance(prompt, str) else prompt
        self._ids += 1
        request = GenerateRequest(asked, output_tokens, **more)  # type: ignore[arg-type]
        self.scheduler.submit(Sequence(self._ids, request, self.steps))
        return self._ids

    def step(self) -> list[Finished]:
        """Run one step and return what ended."""
        self.steps += 1
        before = {sequence.request_id for sequence in self.scheduler.running}
        works = self.scheduler.schedule()
        self.admitted += [s.request_id for s in self.scheduler.running if s.request_id not in before]
        chunks = [work.end - work.start for work in works if not work.decodes]
        self.prefilled_tokens += sum(chunks)
        self.longest_chunk = max([self.longest_chunk, *chunks])
        refused, self.scheduler.refused = self.scheduler.refused, []
        ended = [sequence.finished(self.steps, reason) for sequence, reason in refused]
        for work in works:
            if work.speaks:
                work.sequence.speak(1, self.steps, near_tie=False)
            if self.scheduler.settle(work):
                ended.append(work.sequence.finished(self.steps))
        if self.cache.sink is not None:
            self.cache.flush_sink(self.cache.sink)
        return ended

    def drain(self) -> list[Finished]:
        """Step until nothing is left and return the ends by request; the cache is sound then."""
        ends: list[Finished] = []
        while self.scheduler.waiting or self.scheduler.running or self.scheduler.refused:
            done = self.step()
            assert done or self.scheduler.running, "everybody waits and nobody runs"
            ends += done
        check_integrity(self.cache)
        return sorted(ends, key=lambda end: end.request_id)


def serve(engine: ScheduledEngine, prompts: Iterable[str], output_tokens: int = 1) -> list[Finished]:
    """Submit all prompts at once, serve them, and return the ends."""
    for prompt in prompts:
        engine.submit(prompt, output_tokens)
    return engine.drain()

"""The requests that wait, and who of them is next: the engine's side of a schedule."""

from __future__ import annotations

from collections.abc import Iterator

from cache_core.cache import PrefixCache
from cache_core.engine.config import EngineConfig
from cache_core.engine.records import Emitter
from cache_core.engine.sequence import Sequence
from cache_core.key import RadixKey
from cache_core.schedule import SCHEDULES, Queue, UnderWay, Waiting


class WaitingQueue:
    """Waiting requests in the order they came, retracted ones at the head, with what a schedule sees of each.

    `processed_tokens` is what the engine has computed so far; the scheduler keeps it.
    """

    __slots__ = ("_emitter", "_limit", "_passes", "_schedule", "_views", "processed_tokens")

    def __init__(self, cache: PrefixCache, config: EngineConfig, emitter: Emitter) -> None:
        self._schedule = SCHEDULES.load(config.schedule)(cache, config.schedule_config)
        self._limit = config.schedule_config.limit if self._schedule.limited else None
        self._emitter = emitter
        self._passes = 0
        self._views: dict[Sequence, Waiting] = {}
        self.processed_tokens = 0

    def __len__(self) -> int:
        return len(self._views)

    def __iter__(self) -> Iterator[Sequence]:
        return iter(self._views)

    def append(self, sequence: Sequence) -> None:
        """Let a request wait behind all others."""
        self._views[sequence] = self._view(sequence)

    def put_back(self, sequence: Sequence) -> None:
        """Let a retracted request wait before all others."""
        self._views = {sequence: self._view(sequence), **self._views}

    def remove(self, sequence: Sequence) -> None:
        """Take a request out: it is admitted."""
        del self._views[sequence]

    def clear(self) -> None:
        """Forget everybody."""
        self._views.clear()

    def key(self, sequence: Sequence) -> RadixKey:
        """Return the key of a waiting request."""
        return self._views[sequence].key

    def candidates(self, running: list[Sequence]) -> Iterator[Sequence]:
        """Yield, in the order of the schedule, who may be admitted beside `running`. Those that wait now are asked.

        Requests that the schedule puts off are left out: were there room for them in this step, they would compute
        what another one computes beside them. That one is running or goes before them, so their turn comes.
        """
        began = self._emitter.began()
        plan = self._schedule.plan(self._look(running))
        self._passes += 1
        self._emitter.scheduled(began, len(self), plan, self._limit)
        sequences = tuple(self._views)
        return (sequences[index] for index in plan.order if index not in plan.deprioritised)

    def _look(self, running: list[Sequence]) -> Queue:
        return Queue(
            waiting=tuple(self._views.values()),
            under_way=tuple(
                UnderWay(sequence.request.key, sequence.request.protected_tokens)
                for sequence in running
                if sequence.request is not None and sequence.prefilling
            ),
            routing_keys=tuple(
                sequence.generate.routing_key for sequence in running if sequence.generate.routing_key is not None
            ),
            number=self._passes,
            processed_tokens=self.processed_tokens,
        )

    def _view(self, sequence: Sequence) -> Waiting:
        generate = sequence.generate
        return Waiting(
            request_id=sequence.request_id,
            key=RadixKey(sequence.tokens, generate.extra_key, generate.cache_salt, generate.segments),
            prompt_tokens=len(generate.tokens),
            output_tokens=generate.output_tokens,
            priority=generate.priority,
            queued_at=sequence.queued_at,
            queued_pass=self._passes,
            processed_tokens=self.processed_tokens,
            routing_key=generate.routing_key,
        )

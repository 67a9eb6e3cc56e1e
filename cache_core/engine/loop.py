"""The steps of an engine without its model: submit, step, close. Needs no torch.

One step, in this order, because a slot may be read by others as soon as the cache knows it:

1. hear     The cache is told which copies to and from the host have ended; their locks drop.
2. take     Every request of the step takes its slots (`decode`, `prefill(upto, cache=False)`), a new one also those
            of what the host has of it (`load_back`). This may evict, and may retract other requests; once it is over
            nothing moves until 6.
3. read     The rows, position -> slot, of all of them. Window slots that fall behind the window at 6 are still
            theirs.
4. copy     Starts the copies that the cache queued, in its order: out of slots that were given up before anything is
            written into them, then into slots that the forward reads.
5. forward  Writes the keys, values and states of the step into exactly these slots and reads earlier ones from them,
            once the loads are there.
6. settle   One request after the other: `finish`, or write-back by `prefill(upto, cache=True)`, which takes no slot.
            Only now do slots enter the tree, with their contents in place. Two requests of one step may have
            computed the same prefix: the second write-back finds it there, frees its own copy and goes on with the
            tree's slots, which the same forward filled. Rows are never kept from one step to the next. What the
            write-backs queued for the host is started at once: it moves while the next step is prepared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from cache_core.cache import PrefixCache
from cache_core.engine.config import EngineConfig
from cache_core.engine.generation import Finished, GenerateRequest
from cache_core.engine.ranges import MATCH, SETTLE, STEP, Ranges, forward_name, no_ranges
from cache_core.engine.records import Emitter
from cache_core.engine.scheduler import Scheduler
from cache_core.engine.sequence import Sequence
from cache_core.engine.shape import LayerKind
from cache_core.engine.traffic import Traffic
from cache_core.engine.work import Choice, Work
from cache_core.errors import ConfigError, KeyRangeError


class EngineLoop(ABC):
    """A queue and a scheduler over one cache. Lives on the thread that owns the cache.

    `submit` queues a request, `step` runs one forward pass and returns what ended in it, `close` gives back every
    lock. `windows` has, for each kind of layer whose slots the forward pass reads, how far it sees.
    """

    def __init__(
        self,
        cache: PrefixCache,
        config: EngineConfig,
        windows: Mapping[LayerKind, int | None],
        *,
        traffic: Traffic,
        clock: Callable[[], int],
        ranges: Ranges = no_ranges,
    ) -> None:
        self.cache = cache
        self.config = config
        self.windows = dict(windows)
        self.traffic = traffic
        self._clock = clock
        self._ranges = ranges
        self._emitter = Emitter(cache, clock)
        self._scheduler = Scheduler(cache, config, self.windows, self._emitter)
        self._next_id = 1

    @abstractmethod
    def _forward(self, works: list[Work]) -> list[Choice]:
        """Compute `works` and return a choice for each one that speaks, in order."""

    @property
    def waiting(self) -> int:
        """Requests in the queue."""
        return len(self._scheduler.waiting)

    @property
    def running(self) -> int:
        """Requests that hold slots."""
        return len(self._scheduler.running)

    @property
    def prefilling(self) -> int:
        """Requests whose prompt is not computed yet, the waiting ones included."""
        return self.waiting + sum(sequence.prefilling for sequence in self._scheduler.running)

    @property
    def prefilled_tokens(self) -> int:
        """Prompt tokens computed so far; a retracted request that returns has its outputs computed as such."""
        return self._scheduler.prefilled_tokens

    @property
    def has_work(self) -> bool:
        """Whether `step` has something to do or to return."""
        return bool(self._scheduler.waiting or self._scheduler.running or self._scheduler.refused)

    def submit(self, request: GenerateRequest) -> int:
        """Queue `request` and return its id. One that can never fit is returned, refused, by the next step.

        Raises KeyRangeError for tokens that nobody knows, ConfigError for a length or temperature that makes no
        sense.
        """
        self._check(request)
        request_id, self._next_id = self._next_id, self._next_id + 1
        self._scheduler.submit(Sequence(request_id, request, self._clock()))
        return request_id

    def step(self) -> list[Finished]:
        """Run one forward pass over everything that can move, and return the requests that ended."""
        with self._ranges(STEP):
            return self._step()

    def close(self) -> None:
        """Retract what runs, forget what waits, end what moves. The cache keeps what was written back."""
        self._scheduler.close()
        self.traffic.close()
        self._emitter.flush()

    def _step(self) -> list[Finished]:
        began = self._clock()
        self.traffic.settle()
        with self._ranges(MATCH):
            works = self._scheduler.schedule()
        self.traffic.start()
        ended = self._take_refused()
        if works:
            self.traffic.fence()
            decode_tokens = sum(work.decodes for work in works)
            prefill_tokens = sum(work.end - work.start for work in works) - decode_tokens
            with self._ranges(forward_name(prefill_tokens, decode_tokens)):
                choices = self._forward(works)
            with self._ranges(SETTLE):
                ended += self._settle(works, choices)
            queue = (self.running, self.waiting)
            self._emitter.step(self._clock() - began, prefill_tokens, decode_tokens, queue)
            self.traffic.start()
            self.traffic.settle()
        self._emitter.stepped(self.running + self.waiting > 0)
        return ended

    def _settle(self, works: list[Work], choices: list[Choice]) -> list[Finished]:
        now = self._clock()
        spoken = iter(choices)
        ended = []
        for work in works:
            if work.speaks:
                self._speak(work.sequence, next(spoken), now)
            if self._scheduler.settle(work):
                ended.append(work.sequence.finished(now))
        return ended

    def _speak(self, sequence: Sequence, choice: Choice, now: int) -> None:
        if sequence.first_token_at is None:
            self._emitter.first_token(sequence.request_id, len(sequence.generate.tokens))
        near_tie = sequence.generate.temperature == 0 and choice.gap < self.config.near_tie
        sequence.speak(choice.token, now, near_tie)

    def _take_refused(self) -> list[Finished]:
        refused, self._scheduler.refused = self._scheduler.refused, []
        now = self._clock()
        return [sequence.finished(now, reason) for sequence, reason in refused]

    def _check(self, request: GenerateRequest) -> None:
        if not request.tokens:
            raise KeyRangeError("a prompt needs at least one token")
        if request.output_tokens < 1:
            raise ConfigError(f"output_tokens must be at least 1, not {request.output_tokens}")
        if request.temperature < 0:
            raise ConfigError(f"temperature must not be negative, but is {request.temperature}")

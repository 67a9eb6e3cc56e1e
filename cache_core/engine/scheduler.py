"""Who runs in the next step, within the pools, the chunk budget and the concurrency.

Order of a step:
1. every decoding request takes a slot for the token it said last;
2. requests in prefill take slots for their next chunk, in order of admission, while it fits into the budget;
3. waiting requests are admitted in the order of the schedule while there is budget, concurrency and room.
A chunk is never cut short because others were served before it: where a request is cut, and so where it leaves a
window in the cache, depends on itself and on the chunk size, not on who ran beside it.
When a pool runs out, the request admitted last is retracted and waits at the head of the queue. So the oldest request
always moves on, and one that has the pools to itself and still finds no slot can never be served: it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable

from cache_core.branching import floor_page
from cache_core.cache import PrefixCache
from cache_core.engine.config import EngineConfig
from cache_core.engine.records import Emitter
from cache_core.engine.room import STATES, Geometry, PoolRoom
from cache_core.engine.sequence import Sequence
from cache_core.engine.shape import LayerKind
from cache_core.engine.waiting import WaitingQueue
from cache_core.engine.work import Work, seen_slots, used_states
from cache_core.errors import OutOfSlotsError
from cache_core.events import OUT_OF_SLOTS, REASONS, STOPPED, TOO_LONG
from cache_core.key import RadixKey
from cache_core.stats import pool_stats

WAYS_OUT = "use larger pools, a smaller chunk, or a shorter request"
"""What whoever asked for too much can do about it."""


class Scheduler:
    """The queue and the running requests of one engine. It alone admits, retracts and refuses."""

    __slots__ = (
        "_cache", "_chunk_tokens", "_concurrency", "_emitter", "_gate_closed", "_geometry", "_recurrent", "_windows",
        "prefilled_tokens", "refused", "running", "waiting",
    )  # fmt: skip

    def __init__(
        self, cache: PrefixCache, config: EngineConfig, windows: dict[LayerKind, int | None], emitter: Emitter
    ) -> None:
        settings = cache.config
        window = settings.window if "swa" in settings.components else None
        self._cache = cache
        self._emitter = emitter
        self._windows = windows
        self._recurrent = STATES in settings.components
        self._geometry = Geometry(settings.page_size, window, config.reserve_tokens)
        self._chunk_tokens = max(config.chunk_size, settings.page_size)
        self._concurrency = config.concurrency
        # Closed by a retraction or a declined admission, so that a step does not try again what cannot have changed.
        self._gate_closed = False
        self.waiting = WaitingQueue(cache, config, emitter)
        self.running: list[Sequence] = []
        self.refused: list[tuple[Sequence, str]] = []
        self.prefilled_tokens = 0

    def submit(self, sequence: Sequence) -> None:
        """Append to the queue, or refuse what no empty pool could hold."""
        if self._geometry.ever_fits(self._pools(), sequence.final_tokens):
            self.waiting.append(sequence)
            self._emitter.queued(sequence.request_id, len(sequence.tokens))
        else:
            self._refuse(sequence, TOO_LONG)

    def schedule(self) -> list[Work]:
        """Take the slots of the next step and return its works, decoding requests first."""
        decoding = self._take_decode_slots()
        chunks = self._take_chunks()
        # Rows are read after the last slot was taken: until then a retraction may still strike a request out.
        works = [self._work(sequence, start, decodes=True) for sequence, start in decoding if _decodes(sequence)]
        return works + [self._work(sequence, start, decodes=False) for sequence, start in chunks if sequence.request]

    def settle(self, work: Work) -> bool:
        """Hand the computed KV of `work` to the cache, after the sequence spoke; return whether the request ended."""
        sequence = work.sequence
        assert sequence.request is not None, f"{sequence.request_id=} does not run"
        self.waiting.processed_tokens += work.end - work.start
        self.prefilled_tokens += 0 if work.decodes else work.end - work.start
        if work.speaks:
            sequence.prefilling = False
        if work.speaks and sequence.done:
            sequence.request.finish()
            self.running.remove(sequence)
            self._gate_closed = False
            return True
        if not work.decodes:
            sequence.request.prefill(work.end, cache=True)
            self._gate_closed = False
        return False

    def close(self) -> None:
        """Retract every running request and forget the waiting ones, so that the cache holds no lock of ours."""
        for sequence in reversed(self.running):
            assert sequence.request is not None
            sequence.request.retract(STOPPED)
        self.running.clear()
        self.waiting.clear()

    def _take_decode_slots(self) -> list[tuple[Sequence, int]]:
        decoding = filter(_decodes, list(self.running))
        return [(sequence, sequence.length - 1) for sequence in decoding if self._take_decode_slot(sequence)]

    def _take_decode_slot(self, sequence: Sequence) -> bool:
        while sequence.request is not None:
            try:
                sequence.request.decode(sequence.tokens[-1])
            except OutOfSlotsError:
                self._retract_newest()
            else:
                return True
        return False

    def _take_chunks(self) -> list[tuple[Sequence, int]]:
        budget = self._chunk_tokens
        taken: list[tuple[Sequence, int]] = []
        for sequence in [sequence for sequence in self.running if sequence.prefilling]:
            start = sequence.length
            if self._chunk_end(sequence, self._chunk_tokens) - start > budget:
                return taken
            if used := self._take_chunk(sequence):
                budget -= used
                taken.append((sequence, start))
        for sequence in self._candidates(budget):
            if not self._has_place(budget) or not self._admit(sequence, budget):
                break
            start = sequence.length
            if used := self._take_chunk(sequence):
                budget -= used
                taken.append((sequence, start))
        return taken

    def _take_chunk(self, sequence: Sequence) -> int:
        """Take slots for the next chunk, a shorter one where the pools are tight; return for how many tokens."""
        end = self._chunk_end(sequence, max(min(self._chunk_tokens, self._room()), self._geometry.page_size))
        while sequence.request is not None and end > sequence.length:
            try:
                start = sequence.length
                sequence.request.prefill(end, cache=False)
            except OutOfSlotsError:
                smaller = self._chunk_end(sequence, (end - sequence.length) // 2)
                if smaller > sequence.length:
                    end = smaller
                else:
                    self._make_way(sequence)
            else:
                return end - start
        return 0

    def _chunk_end(self, sequence: Sequence, tokens: int) -> int:
        """Return where a chunk of `tokens` ends: at the last known token, else at a page boundary."""
        start, last = sequence.length, len(sequence.tokens)
        if start + tokens >= last:
            return last
        return max(start, floor_page(start + tokens, self._geometry.page_size))

    def _make_way(self, sequence: Sequence) -> None:
        """Retract the newest request for `sequence`, or refuse it when there is no other."""
        if len(self.running) > 1:
            self._retract_newest()
            return
        assert sequence.request is not None
        sequence.request.retract(OUT_OF_SLOTS)
        sequence.retracted()
        self.running.remove(sequence)
        self._refuse(sequence, OUT_OF_SLOTS)

    def _candidates(self, budget: int) -> Iterable[Sequence]:
        """Return who may be admitted, in order; the schedule is not asked when nobody can be."""
        if not self.waiting or not self._has_place(budget) or (self.running and self._gate_closed):
            return ()
        return self.waiting.candidates(self.running)

    def _has_place(self, budget: int) -> bool:
        return budget > 0 and len(self.running) < self._concurrency

    def _admit(self, sequence: Sequence, budget: int) -> bool:
        """Admit a waiting request if its first chunk fits into the budget and it beside what runs."""
        key = self.waiting.key(sequence)
        if not self._may_start(sequence, key, budget):
            return False
        self.waiting.remove(sequence)
        request = self._cache.admit(key, sequence.generate.priority, sequence.request_id)
        sequence.admitted(request, request.load_back())
        self.running.append(sequence)
        return True

    def _may_start(self, sequence: Sequence, key: RadixKey, budget: int) -> bool:
        """Return whether the request may start: first as if nothing of it were cached, then with what is.

        Locking the hit takes it out of the room, so both questions count it once. The second one costs a match and
        is asked only when the first says no.
        """
        if self.running and self._gate_closed:
            return False
        tokens = len(sequence.tokens)
        if self._allows(sequence, tokens, budget):
            return True
        hit = self._cache.match(key)
        receipt = self._cache.lock(hit.node)
        allowed = self._allows(sequence, tokens - min(hit.hit_tokens, tokens - 1), budget)
        self._cache.unlock(receipt)
        return allowed

    def _allows(self, sequence: Sequence, compute_tokens: int, budget: int) -> bool:
        if min(compute_tokens, self._chunk_tokens) > budget:
            return False
        self._gate_closed = bool(self.running) and not self._geometry.fits_now(
            self._pools(), self.running, compute_tokens, sequence.final_tokens
        )
        return not self._gate_closed

    def _retract_newest(self) -> None:
        sequence = self.running.pop()
        assert sequence.request is not None
        sequence.request.retract(OUT_OF_SLOTS)
        sequence.retracted()
        self.waiting.put_back(sequence)
        self._emitter.queued(sequence.request_id, len(sequence.tokens))
        self._gate_closed = True

    def _refuse(self, sequence: Sequence, reason: int) -> None:
        text = f"{REASONS[reason]}: {sequence.final_tokens} tokens at the end; {WAYS_OUT}"
        self.refused.append((sequence, text))
        self._emitter.refused(sequence.request_id, len(sequence.tokens), sequence.final_tokens, reason)

    def _work(self, sequence: Sequence, start: int, decodes: bool) -> Work:
        assert sequence.request is not None
        slots = {kind: seen_slots(sequence.request, start, kind, window) for kind, window in self._windows.items()}
        end = sequence.length
        states = used_states(sequence.request, start) if self._recurrent else None
        return Work(sequence, start, end, slots, decodes, end == len(sequence.tokens), states)

    def _room(self) -> int:
        """Return how many tokens every pool can give, less the page that a chunk may break into."""
        rooms = [pool.room_tokens for name, pool in self._pools().items() if name != STATES]
        return min(rooms) - self._geometry.page_size

    def _pools(self) -> dict[str, PoolRoom]:
        return {
            name: PoolRoom(pool["free"] + pool["evictable"], pool["total"])
            for name, pool in pool_stats(self._cache).items()
        }


def _decodes(sequence: Sequence) -> bool:
    return sequence.request is not None and not sequence.prefilling

"""Serves prompts through a real cache without a model: answers are drawn from the request's id."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence
from random import Random

from cache_core import OutOfSlotsError, PrefixCache, RadixKey
from cache_core.request import Request
from profiles.workload import Prompt
from tests.support.fake_engine import FakeAnswer


class ModellessEngine:
    """A target for `drive`. A step admits one waiting request, prefills it whole, and decodes one token of each.

    A request that runs out of slots is retracted and waits again, at the front.
    """

    def __init__(self, cache: PrefixCache, concurrency: int = 4, chunk: int = 512) -> None:
        self.cache = cache
        self._concurrency = concurrency
        self._chunk = chunk
        self._waiting: deque[tuple[int, Prompt]] = deque()
        self._running: dict[int, tuple[Request, Prompt, Random]] = {}
        self._ids = 0
        self.retractions = 0

    @property
    def has_work(self) -> bool:
        return bool(self._waiting or self._running)

    def submit(self, prompt: Prompt) -> int:
        self._ids += 1
        self._waiting.append((self._ids, prompt))
        return self._ids

    def step(self) -> Sequence[FakeAnswer]:
        if self._waiting and len(self._running) < self._concurrency:
            self._admit(*self._waiting.popleft())
        done = [answer for id_ in list(self._running) if (answer := self._decode(id_)) is not None]
        if self.cache.sink is not None:
            self.cache.sink.flush()
        return done

    def _admit(self, id_: int, prompt: Prompt) -> None:
        key = RadixKey(prompt.tokens, prompt.extra_key, prompt.cache_salt, prompt.segments)
        request = self.cache.admit(key, request_id=id_)
        self._running[id_] = (request, prompt, Random(id_))
        try:
            while request.length < len(prompt.tokens):
                request.prefill(min(request.length + self._chunk, len(prompt.tokens)))
        except OutOfSlotsError:
            self._retract(id_)

    def _decode(self, id_: int) -> FakeAnswer | None:
        request, prompt, rng = self._running[id_]
        if len(request.outputs) + 1 == prompt.output_tokens:  # the last token never gets a slot
            request.finish()
            del self._running[id_]
            return FakeAnswer(id_, request.outputs + array("i", [rng.randrange(1000)]))
        try:
            request.decode(rng.randrange(1000))
        except OutOfSlotsError:
            self._retract(id_)
        return None

    def _retract(self, id_: int) -> None:
        assert len(self._running) > 1, "one request alone does not fit"
        request, prompt, _ = self._running.pop(id_)
        request.retract()
        self.retractions += 1
        self._waiting.appendleft((id_, prompt))

"""Turns the requests of a trace into those of an engine, token by token or block by block."""

from __future__ import annotations

from array import array
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

from cache_core.config import CacheConfig
from cache_core.engine.generation import GenerateRequest
from cache_core.engine.work import Work
from cache_core.key import MAX_TOKEN
from profiles.trace import TraceRequest
from profiles.trace_tokens import TraceTokens
from radixtop.replay.settings import ReplaySettings


class Prompts(Protocol):
    """How the prompts of a trace become keys, and what a token of such a key weighs."""

    def generate(self, request: TraceRequest) -> GenerateRequest:
        """Return what the engine is asked."""

    def answer(self, request: TraceRequest) -> array[int]:
        """Return what is said as far as that is known, and a token that nothing else begins with: it goes on so."""

    def weight(self, request: TraceRequest, work: Work) -> int:
        """Return how many tokens of the prompt a work computes."""

    def hit_tokens(self, request: TraceRequest, hit: int) -> int:
        """Return how many tokens of the prompt the first so many of its key are."""


class TokenPrompts:
    """Every token is a token."""

    def __init__(self, settings: ReplaySettings) -> None:
        self._made = TraceTokens()
        self._outputs = settings.outputs

    def generate(self, request: TraceRequest) -> GenerateRequest:
        """See Prompts."""
        outputs = max(1, request.output_tokens) if self._outputs else 1
        return _asked(self._made.tokens(request), outputs, request)

    def answer(self, request: TraceRequest) -> array[int]:
        """See Prompts."""
        said = array("i")
        if request.answer:
            said.frombytes(self._made.of_ids(request.answer))
        said.frombytes(self._made.fresh(1))
        return said

    def weight(self, request: TraceRequest, work: Work) -> int:
        """See Prompts."""
        return work.end - work.start

    def hit_tokens(self, request: TraceRequest, hit: int) -> int:
        """See Prompts."""
        return hit


class BlockPrompts:
    """A block is a token; the last token of the prompt is one of its own (see `BlockCache`)."""

    def __init__(self) -> None:
        self._made = TraceTokens()

    def generate(self, request: TraceRequest) -> GenerateRequest:
        """See Prompts."""
        return _asked(self._made.ids(request) + _LAST_TOKEN, 1, request)

    def answer(self, request: TraceRequest) -> array[int]:
        """See Prompts."""
        return _NOTHING

    def weight(self, request: TraceRequest, work: Work) -> int:
        """See Prompts."""
        end = request.prompt_tokens if work.end > request.blocks else self.hit_tokens(request, work.end)
        return end - self.hit_tokens(request, work.start)

    def hit_tokens(self, request: TraceRequest, hit: int) -> int:
        """See Prompts."""
        return min(request.tokens_of(hit), max(0, request.prompt_tokens - 1))


_NOTHING = array("i", [MAX_TOKEN])
_LAST_TOKEN = MAX_TOKEN.to_bytes(4, "little")
"""Ends the key of every prompt and is never cached."""


def block_config(config: CacheConfig, block_tokens: Fraction) -> CacheConfig:
    """Return the settings of a cache whose slots are blocks of so many tokens."""
    slots = max(1, int(config.full_slots / max(Fraction(1), block_tokens)))
    return replace(config, full_slots=slots, finish_branch="branch")


def _asked(tokens: bytes, output_tokens: int, request: TraceRequest) -> GenerateRequest:
    key = array("i")
    key.frombytes(tokens)
    return GenerateRequest(
        key, output_tokens, extra_key=request.namespace, priority=request.priority, routing_key=request.session
    )

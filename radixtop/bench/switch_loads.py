"""The workloads that are served live as loads of requests one after the other, for caches without a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random

from cache_core.bench.switches.loads import Load, Visit
from profiles.workload import WORKLOADS, Prompt, WorkloadConfig

_OPEN = 16
"""Prompts of which anyone may be the next: a conversation goes on while others do."""


def served_loads(scale: float) -> tuple[Load, ...]:
    """Return few-shot prompting with short and long questions, conversations under system prompts, and all mixed."""
    prompts = max(40, round(400 * scale))
    few_shot = [
        _load("few_shot", WorkloadConfig(1, prompts, question_tokens=question, arrival="interleaved"), question)
        for question in (48, 200)
    ]
    return (*few_shot, _load("chat", WorkloadConfig(1, prompts // 2)), _load("mixed", WorkloadConfig(1, prompts)))


def _load(workload: str, config: WorkloadConfig, question_tokens: int | None = None) -> Load:
    name = workload if question_tokens is None else f"{workload}, questions of {question_tokens}"
    prompts = WORKLOADS.load(workload)(config).prompts()
    return Load(name, tuple(_visits(prompts, Random(config.seed), config.vocabulary)), (2, 4, 8))


def _visits(prompts: Iterable[Prompt], rng: Random, vocabulary: int) -> Iterator[Visit]:
    """Yield prompts and what they lead to, in random order among those that are open."""
    coming = iter(prompts)
    waiting = list(islice(coming, _OPEN))
    while waiting:
        prompt = waiting.pop(rng.randrange(len(waiting)))
        reply = prompt.tokens[:0]
        reply.extend(rng.randrange(vocabulary) for _ in range(prompt.output_tokens))
        yield Visit(prompt.tokens.tobytes(), tuple(reply), prompt.extra_key)
        following = prompt.follow_up(reply) if prompt.follow_up else None
        waiting += [following] if following else islice(coming, 1)

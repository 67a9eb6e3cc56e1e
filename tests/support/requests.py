"""Small seeded workloads for the engine: what real traffic does to a prefix tree, in a few hundred tokens."""

from __future__ import annotations

import random
from array import array

from cache_core.engine import GenerateRequest


def random_tokens(source: random.Random, count: int, vocabulary: int = 256) -> array[int]:
    """Return `count` tokens."""
    return array("i", [source.randrange(vocabulary) for _ in range(count)])


def random_requests(seed: int, count: int, tokens: int, output: int, vocabulary: int = 256) -> list[GenerateRequest]:
    """Prompts of one length that share nothing."""
    source = random.Random(seed)
    return [GenerateRequest(random_tokens(source, tokens, vocabulary), output) for _ in range(count)]


def forks(seed: int, system: int = 90, questions: int = 5, output: int = 3) -> list[GenerateRequest]:
    """One system prompt, questions of all lengths, and an exact repetition: every question forks at its end."""
    source = random.Random(seed)
    shared = random_tokens(source, system)
    lengths = [source.randrange(1, 30) for _ in range(questions)]
    prompts = [shared + random_tokens(source, length) for length in lengths]
    return [GenerateRequest(prompt, output) for prompt in (*prompts, prompts[0])]


def turns(seed: int, conversations: int = 2, length: int = 3) -> list[GenerateRequest]:
    """Conversations that grow: each prompt continues the one before, so a turn starts where a window ended."""
    source = random.Random(seed)
    prompts = []
    for _ in range(conversations):
        said = random_tokens(source, source.randrange(20, 60))
        for _ in range(length):
            prompts.append(said)
            said = said + random_tokens(source, source.randrange(1, 40))
    return [GenerateRequest(prompt, output_tokens=4) for prompt in prompts]


def strangers(seed: int, count: int = 4) -> list[GenerateRequest]:
    """Prompts that share nothing, from one token up, with outputs longer than a window."""
    source = random.Random(seed)
    lengths = (1, 2, *(source.randrange(3, 100) for _ in range(count - 2)))
    return [GenerateRequest(random_tokens(source, length), output_tokens=20) for length in lengths]


def tenants(seed: int) -> list[GenerateRequest]:
    """The same prompt in three namespaces and twice in one: equal tokens must not mean equal nodes."""
    source = random.Random(seed)
    prompt = random_tokens(source, 50)
    keys = ((None, None), ("a", None), (None, "s"), ("a", None))
    return [GenerateRequest(prompt, 3, extra_key=extra, cache_salt=salt) for extra, salt in keys]


WORKLOADS = {"forks": forks, "turns": turns, "strangers": strangers, "tenants": tenants}
"""The workloads by name: each is a function of a seed."""

WITH_BRANCHING = [("forks", True), ("forks", False), ("turns", True), ("strangers", False), ("tenants", True)]
"""Each workload, with branching or without: with both where prompts part."""

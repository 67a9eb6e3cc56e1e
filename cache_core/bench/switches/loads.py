"""Loads on which it matters whose window goes first when the window pool is tight.

cliff   many idle chats and one that is busy all the time: under recency alone its old windows outlive their last ones
chats   conversations of which anyone may be the next to go on
forks   agents that leave long documents in their middles: what they need again ends no branch
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from cache_core.bench.workload import random_tokens
from cache_core.key import TOKEN_BYTES

_LONGEST_TOKENS = 3_000


class Visit(NamedTuple):
    """One request: what it asks, what it is answered, and its namespace."""

    prompt: bytes
    reply: tuple[int, ...]
    extra_key: str | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """Requests that come one after the other; measured in pools of the room that they take over each divisor."""

    name: str
    visits: tuple[Visit, ...]
    divisors: tuple[int, ...]

    @property
    def tokens(self) -> int:
        """Slots that hold everything, whatever is shared."""
        return sum(len(visit.prompt) // TOKEN_BYTES + len(visit.reply) for visit in self.visits)


class _Talk:
    """Visits in the making."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.visits: list[Visit] = []

    def text(self, tokens: int) -> bytes:
        return random_tokens(self.rng, tokens)

    def turn(self, said: bytes, question_tokens: int, reply_tokens: int) -> bytes:
        """Ask something after all that was said; returns what has been said then."""
        prompt = said + self.text(question_tokens)
        reply = self.text(reply_tokens)
        self.visits.append(Visit(prompt, tuple(memoryview(reply).cast("i"))))
        return prompt + reply

    def load(self, name: str, *divisors: int) -> Load:
        return Load(name, tuple(self.visits), divisors)


def cliff(scale: float) -> Load:
    """Idle chats that come back in turns while one is busy."""
    talk = _Talk(1)
    count = max(4, round(24 * scale))
    idle = [talk.turn(b"", 1_000, 16) for _ in range(count)]
    busy = talk.text(1_000)
    for _ in range(3):
        for _ in idle:
            busy = talk.turn(busy, 100, 16)
        idle = [talk.turn(said, 60, 16) for said in idle]
    return talk.load("cliff: idle chats, one busy", 4, 8)


def chats(scale: float) -> Load:
    """Conversations that go on in random order; one that has become long is given up for a new one."""
    talk = _Talk(2)
    count = max(6, round(48 * scale))
    said = [b""] * count
    for _ in range(12 * count):
        chat = talk.rng.randrange(count)
        if len(said[chat]) > _LONGEST_TOKENS * TOKEN_BYTES:
            said[chat] = b""
        said[chat] = talk.turn(said[chat], 120 if said[chat] else talk.rng.randint(200, 800), 60)
    return talk.load("chats in random order", 1, 2, 4, 8, 16)


def forks(scale: float) -> Load:
    """Agents that read a document up to one of four places and go on for more than a window."""
    talk = _Talk(3)
    documents = [talk.text(2_000) for _ in range(max(2, round(8 * scale)))]
    for document in documents:
        talk.turn(document, 1, 4)
    for _ in range(round(400 * scale)):
        document = talk.rng.choice(documents)
        place = talk.rng.randint(1, 4) * len(document) // 5 // TOKEN_BYTES * TOKEN_BYTES
        talk.turn(document[:place], 300, 16)
    return talk.load("forks inside documents", 2, 4, 8)


def own_loads(scale: float) -> tuple[Load, ...]:
    """Return the loads made here, at a share of their sizes."""
    return cliff(scale), chats(scale), forks(scale)

"""Everything at once, at sizes for a tiny model: what the dashboard shows when nothing else is asked for.

Questions under popular system prompts, questions about documents, conversations, and now and then a long prompt
that nobody sends again. The documents in fashion change all the time. The texts that are asked for repeatedly
take about 9,000 tokens and what is asked once comes on top, so that pools of 6,000 to 12,000 slots evict and
branching points are opened, filled and lost, while the cache still pays.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from random import Random

from profiles.conversation import FAMILIES, Conversation, Turn
from profiles.texts import Texts, dice, popular
from profiles.workload import Prompt, Segments, Workload, WorkloadConfig

SYSTEM_PROMPTS = 5
SYSTEM_TOKENS = (96, 320)
DOCUMENTS = 24
DOCUMENT_TOKENS = (160, 520)
FASHION_PROMPTS = 25  # after so many prompts the most popular document is the next one
QUESTION_TOKENS = (12, 64)
ONE_OFF_TOKENS = (900, 1_600)
ANSWER_TOKENS = (8, 32)
LONG_ANSWER_TOKENS = (64, 160)
LONG_ANSWERS = 0.06  # of all answers; they outgrow what was set aside for them
TURNS = (2, 5)
KINDS = {"question": 30, "document": 40, "chat": 27, "one-off": 3}
"""How often each kind of prompt comes, in percent."""


@dataclass(frozen=True, slots=True)
class _Context:
    """What a prompt begins with, and the adapter that serves it (None for the model itself)."""

    tokens: array[int]
    segments: Segments
    adapter: str | None = None

    def then(self, tokens: array[int], name: str) -> _Context:
        """Return this context with one more named text at its end."""
        return _Context(self.tokens + tokens, (*self.segments, (len(self.tokens), name)), self.adapter)


class Mixed(Workload):
    """Shared system prompts, documents, conversations and one-off prompts, of varied lengths."""

    def __init__(self, config: WorkloadConfig) -> None:
        super().__init__(config)
        families = ("system prompt", "document", "question", "one-off", *FAMILIES)
        self._texts = Texts(config.seed, config.vocabulary, families)
        self._systems = [self._system(number) for number in range(config.system_prompts or SYSTEM_PROMPTS)]
        self._documents = [self._document(number) for number in range(DOCUMENTS)]

    def prompt(self, number: int) -> Prompt:
        """Return prompt `number`, of a kind that the dice choose."""
        rng = dice(self.config.seed, "mixed", number)
        kind = rng.choices(tuple(KINDS), tuple(KINDS.values()))[0]
        if kind == "chat":
            return self._chat(number, rng)
        if kind == "one-off":
            return self._ask(_Context(array("i"), ()), "one-off", number, rng, ONE_OFF_TOKENS)
        if kind == "document":
            rank = popular(rng, DOCUMENTS) + number // FASHION_PROMPTS
            return self._ask(self._documents[rank % DOCUMENTS], "question", number, rng, QUESTION_TOKENS)
        return self._ask(self._popular_system(rng), "question", number, rng, QUESTION_TOKENS)

    def _system(self, number: int) -> _Context:
        tokens = self.config.system_tokens or dice(self.config.seed, "system size", number).randint(*SYSTEM_TOKENS)
        systems = self.config.system_prompts or SYSTEM_PROMPTS
        # The least popular one is served by an adapter: its keys live in a namespace of their own.
        adapter = "adapter 1" if number == systems - 1 > 0 else None
        empty = _Context(array("i"), (), adapter)
        return empty.then(self._texts.text("system prompt", number, tokens), f"system prompt {number + 1}")

    def _document(self, number: int) -> _Context:
        tokens = dice(self.config.seed, "document size", number).randint(*DOCUMENT_TOKENS)
        system = self._systems[number % len(self._systems)]
        return system.then(self._texts.text("document", number, tokens), f"document {number + 1}")

    def _popular_system(self, rng: Random) -> _Context:
        return self._systems[popular(rng, len(self._systems))]

    def _ask(self, context: _Context, family: str, number: int, rng: Random, sizes: tuple[int, int]) -> Prompt:
        """Return the prompt of one question, or one-off text, after a context."""
        tokens, output_tokens = rng.randint(*sizes), self._answer_tokens(rng)
        if family == "question":
            tokens = self.config.question_tokens or tokens
        asked = context.then(self._texts.text(family, number, tokens), f"{family} {number + 1}")
        answered = asked.then(array("i"), f"answer {number + 1}")
        return Prompt(asked.tokens, output_tokens, answered.segments, extra_key=context.adapter)

    def _chat(self, number: int, rng: Random) -> Prompt:
        system = self._popular_system(rng)
        turns = tuple(self._turn(rng) for _ in range(rng.randint(*TURNS)))
        conversation = Conversation(self._texts, number, turns, extra_key=system.adapter)
        return conversation.opening(system.tokens, system.segments)

    def _turn(self, rng: Random) -> Turn:
        user_tokens = rng.randint(*QUESTION_TOKENS)
        return Turn(self.config.question_tokens or user_tokens, self._answer_tokens(rng))

    def _answer_tokens(self, rng: Random) -> int:
        drawn = rng.randint(*(LONG_ANSWER_TOKENS if rng.random() < LONG_ANSWERS else ANSWER_TOKENS))
        return self.config.output_tokens or drawn

"""Conversations: each turn sends all that was said before, so that only the newest turn is new to the cache."""

from __future__ import annotations

from random import Random

from profiles.conversation import FAMILIES, Conversation, Turn
from profiles.texts import Texts, dice, popular
from profiles.workload import Prompt, Workload, WorkloadConfig

SYSTEM_PROMPTS = 3
SYSTEM_TOKENS = 384
TURNS = (2, 6)
USER_TOKENS = (16, 96)
ANSWER_TOKENS = (12, 32)


class Chat(Workload):
    """Conversations of two to six turns under a few system prompts, some more popular than others."""

    def __init__(self, config: WorkloadConfig) -> None:
        super().__init__(config)
        self._texts = Texts(config.seed, config.vocabulary, ("system prompt", *FAMILIES))
        self._systems = [
            self._texts.text("system prompt", number, config.system_tokens or SYSTEM_TOKENS)
            for number in range(config.system_prompts or SYSTEM_PROMPTS)
        ]

    def prompt(self, number: int) -> Prompt:
        """Return the opening of conversation `number`."""
        rng = dice(self.config.seed, "chat", number)
        chosen = popular(rng, len(self._systems))
        turns = tuple(self._turn(rng) for _ in range(rng.randint(*TURNS)))
        conversation = Conversation(self._texts, number, turns)
        return conversation.opening(self._systems[chosen], ((0, f"system prompt {chosen + 1}"),))

    def _turn(self, rng: Random) -> Turn:
        user_tokens, answer_tokens = rng.randint(*USER_TOKENS), rng.randint(*ANSWER_TOKENS)
        return Turn(self.config.question_tokens or user_tokens, self.config.output_tokens or answer_tokens)

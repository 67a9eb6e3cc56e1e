"""A conversation of several turns: each turn's prompt is all that was said before and a new user turn."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import partial

from profiles.texts import Texts
from profiles.workload import Prompt, Segments

FAMILIES = ("opening", "user turn")
"""The families of texts that a conversation asks for."""

_MOST_TURNS = 64


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn adds: the user's tokens and the answer's."""

    user_tokens: int
    answer_tokens: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """Conversation `number`, its turns decided beforehand, its texts drawn from `texts`."""

    texts: Texts
    number: int
    turns: tuple[Turn, ...]
    extra_key: str | None = None

    def opening(self, history: array[int], segments: Segments) -> Prompt:
        """Return the first turn, after the history that all such conversations share."""
        return self._prompt(0, history, segments)

    def _prompt(self, turn: int, history: array[int], segments: Segments) -> Prompt:
        tokens = history + self._user_text(turn)
        named = (*segments, (len(history), f"user turn {turn + 1}"), (len(tokens), f"answer {turn + 1}"))
        more = turn + 1 < len(self.turns)
        return Prompt(
            tokens=tokens,
            output_tokens=self.turns[turn].answer_tokens,
            segments=named,
            extra_key=self.extra_key,
            follow_up=partial(self._next, turn + 1, tokens, named) if more else None,
        )

    def _next(self, turn: int, tokens: array[int], named: Segments, output: array[int]) -> Prompt | None:
        """Return the turn after an answer; a conversation without an answer ends."""
        return self._prompt(turn, tokens + output, named) if output else None

    def _user_text(self, turn: int) -> array[int]:
        # Openings follow a system prompt that other conversations share: they are numbered by conversation, so
        # that their first tokens differ. Later turns follow a history that is theirs alone.
        tokens = self.turns[turn].user_tokens
        if turn == 0:
            return self.texts.text("opening", self.number, tokens)
        return self.texts.text("user turn", self.number * _MOST_TURNS + turn, tokens)

"""Prompts as conversations make them: few system prompts, growing chats, tenants that share no cache."""

from __future__ import annotations

from random import Random

Tokens = list[int]
Prompt = tuple[Tokens, str | None]

_SYSTEMS = 4
_CHATS = 24


class Prompts:
    """Prompts of `longest` tokens at most, the same for a seed; `shares` keep what is alike in them apart."""

    def __init__(self, seed: int, longest: int, shares: tuple[str | None, ...]) -> None:
        self.dice = Random(seed)
        self._longest = longest
        self._shares = shares
        self._systems = [self.fresh(longest // 4 + 3 * number) for number in range(_SYSTEMS)]
        self._chats: list[Prompt] = []

    def fresh(self, count: int) -> Tokens:
        """Return so many tokens; they are few, so that stretches of them come again."""
        return [self.dice.randrange(2, 50) for _ in range(count)]

    def next(self) -> Prompt:
        """Return the prompt of a new chat, or what was said in one and a question more."""
        if self._chats and self.dice.random() < 0.6:
            said, share = self.dice.choice(self._chats)
        else:
            said, share = self.dice.choice(self._systems), self.dice.choice(self._shares)
            if self.dice.random() < 0.3:
                said = said[: self.dice.randrange(2, len(said))]
        return said + self.fresh(self.dice.randrange(1, self._longest // 6)), share

    def answered(self, said: Tokens, share: str | None) -> None:
        """Go on with a chat later, unless it is too long."""
        if len(said) < self._longest - self._longest // 6:
            self._chats.append((said, share))
            if len(self._chats) > _CHATS:
                del self._chats[self.dice.randrange(_CHATS)]

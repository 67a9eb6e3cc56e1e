"""Loads that no workload of the table makes: a habit that begins in the middle, and a tenant that floods."""

from __future__ import annotations

from array import array
from dataclasses import replace
from functools import partial

from profiles.dressing import FollowUp
from profiles.texts import Texts, dice
from profiles.workload import Prompt, Workload

FLOODER = "tenant 9"
FLOOD_TOKENS = (600, 1_400)


class Spoiled(Workload):
    """The prompts of one workload, and from number `first` on a `share` of them as another one makes them."""

    def __init__(self, plain: Workload, spoiled: Workload, share: float, first: int) -> None:
        super().__init__(plain.config)
        self._plain, self._spoiled = plain, spoiled
        self._share, self._first = share, first

    def prompt(self, number: int) -> Prompt:
        """See Workload."""
        hit = number >= self._first and dice(self.config.seed, "spoiled", number).random() < self._share
        return (self._spoiled if hit else self._plain).prompt(number)


class Flood(Workload):
    """Long prompts of one tenant, none of which comes again."""

    def __init__(self, like: Workload) -> None:
        super().__init__(replace(like.config, seed=like.config.seed + 1_000))
        self._texts = Texts(self.config.seed, self.config.vocabulary, ("flood",))

    def prompt(self, number: int) -> Prompt:
        """See Workload."""
        tokens: array[int] = self._texts.text(
            "flood", number, dice(self.config.seed, "flood", number).randint(*FLOOD_TOKENS)
        )
        segments = ((0, f"one-off {number + 1}"), (len(tokens), f"answer {number + 1}"))
        return Prompt(tokens, 8, segments, extra_key=FLOODER)


class Nameless(Workload):
    """The prompts of a workload without the names of their parts, as an engine sees them that nobody told."""

    def __init__(self, named: Workload) -> None:
        super().__init__(named.config)
        self._named = named

    def prompt(self, number: int) -> Prompt:
        """See Workload."""
        return self._without(self._named.prompt(number))

    def _without(self, prompt: Prompt) -> Prompt:
        follow_up = None if prompt.follow_up is None else partial(self._next, prompt.follow_up)
        return replace(prompt, segments=((0, ""),), follow_up=follow_up)

    def _next(self, follow_up: FollowUp, output: array[int]) -> Prompt | None:
        turn = follow_up(output)
        return None if turn is None else self._without(turn)

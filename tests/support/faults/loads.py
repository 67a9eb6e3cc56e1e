"""Loads that no workload of the table makes: a habit that begins in the middle, and a tenant that floods."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace

from profiles.texts import Texts, dice
from profiles.workload import Prompt, Workload

Make = Callable[[tuple[tuple[str, str], ...]], Workload]
"""Returns a workload that is told options."""

FLOODER = "tenant 9"
FLOOD_TOKENS = (600, 1_400)


class Spoiled(Workload):
    """The prompts of one workload, and a `share` of them from number `first` on as another one makes them."""

    def __init__(self, plain: Workload, spoiled: Workload, share: float, first: int) -> None:
        super().__init__(plain.config)
        self._plain, self._spoiled = plain, spoiled
        self._share, self._first = share, first

    def prompt(self, number: int) -> Prompt:
        """See Workload."""
        is_hit = falls_on(self.config.seed, "spoiled", number, self._share) and number >= self._first
        return (self._spoiled if is_hit else self._plain).prompt(number)


class Habits(Workload):
    """The prompts of a workload, each told the options that its dice give it: (name, value, share of the prompts)."""

    def __init__(self, make: Make, habits: tuple[tuple[str, str, float], ...], first: int) -> None:
        self._make, self._habits, self._first = make, habits, first
        self._made: dict[tuple[tuple[str, str], ...], Workload] = {}
        super().__init__(self._told(()).config)

    def prompt(self, number: int) -> Prompt:
        """See Workload."""
        seed = self.config.seed if number >= self._first else None
        options = tuple(
            (name, value)
            for name, value, share in self._habits
            if seed is not None and falls_on(seed, name, number, share)
        )
        return self._told(options).prompt(number)

    def _told(self, options: tuple[tuple[str, str], ...]) -> Workload:
        if options not in self._made:
            self._made[options] = self._make(options)
        return self._made[options]


def falls_on(seed: int, name: str, number: int, share: float) -> bool:
    """Throw the dice for one prompt."""
    return dice(seed, name, number).random() < share


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

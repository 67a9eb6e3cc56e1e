"""Which of some choices are worth a look: those that no other one beats in what they give and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """What a choice gives, and what it costs: in as many ways as all choices have."""

    gain: float
    costs: tuple[float, ...]


def front(choices: Sequence[Choice]) -> list[int]:
    """Return the places of the choices that no other one beats, in their order; of equals all are there.

    One beats another if it is better in something and no worse in anything.
    """
    return [
        place
        for place, choice in enumerate(choices)
        if not any(_beats(other, choice) for other in choices if other is not choice)
    ]


def _beats(one: Choice, other: Choice) -> bool:
    pairs = zip(one.costs, other.costs, strict=True)
    no_worse = one.gain >= other.gain and all(mine <= theirs for mine, theirs in pairs)
    return no_worse and one != other

"""How it is said in what a rank is unlike the others: a verb, its figure with a unit, and that of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from radixtop.render.units import count, grouped, share


class Unlike(NamedTuple):
    """The parts of a sentence: `rank 1` `has` `48 requests waiting`, the others `5`."""

    verb: str
    value: str
    others: str


def unlike(what: str, value: float, others: float) -> Unlike:
    """Return how to say that a rank has `value` of something where the others have `others`."""
    verb, unit, written = _PHRASES[what]
    return Unlike(verb, f"{written(value)}{unit}", written(others))


def _requests(number: float) -> str:
    """Return a number of requests, which is half a one in the middle between two ranks."""
    return f"{number:,.1f}" if number % 1 else grouped(int(number))


_PHRASES: dict[str, tuple[str, str, Callable[[float], str]]] = {
    "queue": ("has", " requests waiting", _requests),
    "usage": ("uses", " of its pool", share),
    "hit rate": ("hits", "", share),
    "cached": ("has cached", " tokens", count),
    "turnover": ("evicts", " tokens/s", count),
    "throughput": ("generates", " tokens/s", count),
}
"""How each kind of imbalance is said: a verb, what follows the figure, and how that is written."""

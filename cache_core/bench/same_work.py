"""Times are compared of those only that did the same work."""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import repr as shortened


class DifferentWorkError(Exception):
    """The sides of a comparison did different work; says in what, and what each came to."""


def require_same(what: str, said: Mapping[str, object]) -> None:
    """Raise DifferentWorkError unless all sides, by name, came to the same."""
    values = list(said.values())
    if any(value != values[0] for value in values[1:]):
        sides = ", ".join(f"{side} {shortened(value)}" for side, value in said.items())
        raise DifferentWorkError(f"the sides did not do the same work, {what} differs: {sides}")

"""Kinds of settings: what a value may be, read from a file's value or from the text of a variable."""

from __future__ import annotations

import math
from collections.abc import Iterable
from importlib import import_module
from typing import Protocol

Value = str | bool | float | int

_YES = ("yes", "true", "on", "1")
_NO = ("no", "false", "off", "0")


class Kind(Protocol):
    """What a setting may be. Both ways to read one raise ValueError, whose text says what may stand there."""

    @property
    def choices(self) -> str:
        """What may stand there, in words."""

    def of_value(self, value: object) -> Value:
        """Return what a value of a file means."""

    def of_text(self, text: str) -> Value:
        """Return what the text of a variable means."""


class Choice:
    """One of some names."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = (*names,)

    @property
    def names(self) -> tuple[str, ...]:
        """The names."""
        return self._names

    @property
    def choices(self) -> str:
        """The names."""
        return f"one of {', '.join(self.names)}"

    def of_value(self, value: object) -> Value:
        """Return the name."""
        if isinstance(value, str) and value in self.names:
            return value
        raise ValueError(self.choices)

    of_text = of_value


class LoadedChoice(Choice):
    """One of the names of a table that is imported when somebody asks: "module:TABLE"."""

    def __init__(self, place: str) -> None:
        self._place = place

    @property
    def names(self) -> tuple[str, ...]:
        """The names."""
        module, _, table = self._place.partition(":")
        return (*getattr(import_module(module), table),)


class Switch:
    """Something that is or is not."""

    choices = "true or false"

    def of_value(self, value: object) -> Value:
        """Return a truth value as it is."""
        if isinstance(value, bool):
            return value
        raise ValueError(self.choices)

    def of_text(self, text: str) -> Value:
        """Return what a word says."""
        word = text.strip().lower()
        if word in _YES or word in _NO:
            return word in _YES
        raise ValueError(f"one of {', '.join(_YES + _NO)}")


class Number:
    """A number within bounds."""

    def __init__(self, least: float, most: float, unit: str) -> None:
        self.least, self.most, self.unit = least, most, unit

    @property
    def choices(self) -> str:
        """The bounds and the unit."""
        return f"a number from {self.least:g} to {self.most:g} ({self.unit})"

    def of_value(self, value: object) -> Value:
        """Return the number."""
        if isinstance(value, (int, float)) and not isinstance(value, bool) and self.least <= value <= self.most:
            return float(value)
        raise ValueError(self.choices)

    def of_text(self, text: str) -> Value:
        """Return the number that is written."""
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        return self.of_value(number)


class Size:
    """A number of bytes, as people write it."""

    choices = "a size such as 64MB, of 64kB or more, or 0"

    def of_value(self, value: object) -> Value:
        """Return the bytes of a text or a whole number."""
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            return self.of_text(str(value))
        raise ValueError(self.choices)

    def of_text(self, text: str) -> Value:
        """Return the bytes that a text names."""
        import typer

        from radixtop.quantities import kept_bytes

        try:
            return kept_bytes(text)
        except typer.BadParameter:
            raise ValueError(self.choices) from None

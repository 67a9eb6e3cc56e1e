"""A page of metrics in Prometheus' text format, read as series by name.

The text is another's: its size, its lines and the words in it are bounded, and a line that is none is counted and
left out. Lines of metrics that nobody asked for are not read at all. What is, prometheus_client parses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

MOST_CHARACTERS = 32 << 20
MOST_LINES = 400_000
MOST_LINE_CHARACTERS = 16_384
MOST_LABELS = 64
MOST_NAMES = 4_096
MOST_LABEL_CHARACTERS = 256

_NOTHING = re.compile(r"\s*(#|$)")
_NAME = re.compile(r"\s*([a-zA-Z_:][a-zA-Z0-9_:]*)[{ \t]")


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a metric: its labels and its value, which may be NaN or infinite."""

    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class Page:
    """The series that were asked for, by plain name, and what else there was.

    `names` are those of all metrics of the page, plain too, up to a bound. `malformed_lines` could not be read;
    `is_cut` says that the page was too long to be read to its end.
    """

    families: Mapping[str, tuple[Series, ...]]
    names: frozenset[str] = frozenset()
    malformed_lines: int = 0
    is_cut: bool = False

    def has_prefix(self, prefix: str) -> bool:
        """Say whether any metric of the page has a name that begins so."""
        return any(name.startswith(prefix) for name in self.names)


def plain_name(name: str) -> str:
    """Return a metric's name as tables have it: some exporters write `_` for the `:` of others."""
    return name.replace(":", "_")


def read_page(text: str, wanted: Container[str]) -> Page:
    """Return the series of the metrics whose plain names are `wanted`."""
    kept: list[str] = []
    names: set[str] = set()
    malformed = 0
    lines = text[:MOST_CHARACTERS].split("\n", MOST_LINES)
    is_cut = len(text) > MOST_CHARACTERS or len(lines) > MOST_LINES
    for line in lines[: len(lines) - is_cut]:
        if _NOTHING.match(line):
            continue
        found = _NAME.match(line)
        if found is None or len(line) > MOST_LINE_CHARACTERS:
            malformed += 1
            continue
        name = plain_name(found[1])
        if len(names) < MOST_NAMES:
            names.add(name)
        if name in wanted:
            kept.append(line)
    families, bad = _series_of(kept)
    return Page(families, frozenset(names), malformed + bad, is_cut)


def _series_of(lines: list[str]) -> tuple[dict[str, tuple[Series, ...]], int]:
    """Return the series of lines by plain name, and how many lines are none."""
    try:
        samples, bad = _parsed(lines), 0
    except _NOT_READ:
        samples, bad = [], 0
        for line in lines:
            try:
                samples += _parsed([line])
            except _NOT_READ:
                bad += 1
    spelt: dict[str, str] = {}
    families: dict[str, list[Series]] = {}
    for name, labels, value in samples:
        plain = plain_name(name)
        if spelt.setdefault(plain, name) == name:  # with both spellings on a page, one metric would count twice
            families.setdefault(plain, []).append(Series(labels, value))
    return {name: tuple(series) for name, series in families.items()}, bad


_NOT_READ = (ValueError, LookupError, TypeError, ArithmeticError, AttributeError, RecursionError)
"""What a parser may make of a line that is none."""


def _parsed(lines: Iterable[str]) -> list[tuple[str, dict[str, str], float]]:
    """Return the samples of lines as name, labels, value. Raises one of _NOT_READ for a line that is none."""
    from prometheus_client.parser import text_string_to_metric_families

    samples = []
    for family in text_string_to_metric_families("\n".join(lines)):
        for sample in family.samples:
            if len(sample.labels) > MOST_LABELS:
                raise ValueError(f"{len(sample.labels)} labels")
            labels = {name: printable(value) for name, value in sample.labels.items()}
            samples.append((sample.name, labels, _number(sample.value)))
    return samples


def _number(value: float) -> float:
    """Return a value as a float; a whole number that no float can hold is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def printable(text: str) -> str:
    """Return a short text that can be shown: what cannot be printed is a dot."""
    text = text[:MOST_LABEL_CHARACTERS]
    return text if text.isprintable() else "".join(each if each.isprintable() else "·" for each in text)

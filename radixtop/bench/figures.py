"""What a benchmark writes: its figures as one JSON document or a line each, and how it goes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

from profiles.plain import json_text


def write(figures: Mapping[str, object], as_json: bool) -> None:
    """Write the figures to stdout."""
    text = json_text(figures, indent=2) if as_json else "\n".join(_lines(figures))
    sys.stdout.write(text + "\n")


def narrate(line: str) -> None:
    """Write a line of how it goes to stderr."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _lines(figures: Mapping[str, object], prefix: str = "") -> Iterator[str]:
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _lines(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name:<{max(1, 44 - len(prefix))}} {_figure(value)}"


def _figure(value: object) -> str:
    return f"{value:,.3f}" if isinstance(value, float) else "-" if value is None else str(value)

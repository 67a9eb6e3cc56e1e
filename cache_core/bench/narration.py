"""What a benchmark tells while it measures, line by line; whoever runs it says where to."""

from __future__ import annotations

from collections.abc import Callable

Narrate = Callable[[str], None]


def silent(line: str) -> None:
    """Tell nobody."""

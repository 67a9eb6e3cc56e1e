"""Tables that keep the newest of their entries."""

from __future__ import annotations

from itertools import islice
from typing import Any

_PART = 8


def forget_oldest(table: dict[Any, Any]) -> None:
    """Drop the oldest eighth of a table, at least one entry.

    One at a time, each would cost as much as those dropped before it: a dict looks for its first entry behind all the
    gaps that they left, until it grows.
    """
    for key in [*islice(table, max(1, len(table) // _PART))]:
        del table[key]

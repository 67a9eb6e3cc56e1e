"""All rows in their order, and the numbers that must be there."""

from __future__ import annotations

from tests.cache_core.scenarios import full, lifecycle, locks, other, window

ROWS = sorted((*full.ROWS, *window.ROWS, *lifecycle.ROWS, *locks.ROWS, *other.ROWS), key=lambda row: row.number)
NUMBERS = [*[f"S-{number:02}" for number in (*range(1, 50), 58, 60, 61, 62, 63)], "upstream: overshoot"]

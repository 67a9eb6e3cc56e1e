"""All rows in their order, and the numbers that must be there."""

from __future__ import annotations

from tests.cache_core.scenarios import full, host, lifecycle, locks, other, units, window

ROWS = sorted(
    (row for part in (full, window, lifecycle, locks, host, units, other) for row in part.ROWS),
    key=lambda row: row.number,
)
NUMBERS = [
    *[f"S-{number:02}" for number in (*range(1, 50), *range(51, 64))],
    "upstream: host",
    "upstream: overshoot",
]

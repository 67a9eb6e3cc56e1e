"""The rows of a difference with the labels from the top down to each."""

from __future__ import annotations

from collections.abc import Iterator

from profiles.diff.difference import ChangedRow, Difference


def paths(difference: Difference, parts: int | None) -> Iterator[tuple[ChangedRow, tuple[str, ...]]]:
    """Yield each row and its labels, its own last."""
    above: list[str] = []
    for row in difference.rows(parts):
        del above[row.depth :]
        above.append(row.label)
        yield row, tuple(above)

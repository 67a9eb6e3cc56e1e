"""How a record finds what takes it: tables from a record's class to a bound method, no chains of isinstance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Fold = Callable[[Any], None]
"""Takes one record into a state. It is filed under the one record class that it is called with."""

Folds = Mapping[type, Fold]
"""What takes which record class."""


def joined(several: Iterable[Folds]) -> dict[type, tuple[Fold, ...]]:
    """Return for each record class everything that takes it, in the order given."""
    table: dict[type, tuple[Fold, ...]] = {}
    for folds in several:
        for record_class, fold in folds.items():
            table[record_class] = (*table.get(record_class, ()), fold)
    return table

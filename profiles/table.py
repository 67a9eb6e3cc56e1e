"""What a table of a profile is, and the table of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from cache_core.registry import Registry
from profiles.profile import Profile

Cell = int | str | bool | None
"""None is what is not known, or what a row of this kind does not have."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column; its `kind` is that of all its cells that are not None. A date is in ns since 1970."""

    name: str
    kind: Literal["integer", "text", "truth", "date"]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, and rows that are made while they are read."""

    columns: Sequence[Column]
    rows: Iterator[Sequence[Cell]]


TABLES: Registry[Callable[[Profile], Table]] = Registry(
    "table", {"events": "profiles.tables.events:events", "nodes": "profiles.tables.nodes:nodes"}
)

"""Name tables of the extension points: a name, and where its object lives.

A table maps a name to "module:attribute". Nothing is imported until the name is asked for, so a table costs
nothing and a kind that needs a heavy import is paid for by its users alone. A new kind is one file and one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar, cast

T = TypeVar("T")


class UnknownNameError(ValueError):
    """A name that its table does not have; the message lists the names that it has."""


class Registry(Generic[T]):
    """A table of names. `kind` says in messages what the names stand for, such as "policy".

    The caller states the type of the objects: `Registry[type[Policy]]("policy", {"lru": "pkg.lru:LRU"})`.
    """

    __slots__ = ("_table", "kind")

    def __init__(self, kind: str, table: Mapping[str, str]) -> None:
        self.kind = kind
        self._table = dict(table)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, in the order of the table."""
        return tuple(self._table)

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __contains__(self, name: object) -> bool:
        return name in self._table

    def load(self, name: str) -> T:
        """Import and return the object behind `name`. Raises UnknownNameError when the table lacks it."""
        place = self._table.get(name)
        if place is None:
            raise UnknownNameError(f"unknown {self.kind} {name!r}; choose from: {', '.join(self._table)}")
        module, _, attribute = place.partition(":")
        return cast(T, getattr(import_module(module), attribute))

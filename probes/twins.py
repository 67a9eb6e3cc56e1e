"""Twins of what is known: copies that go their own way from now on, and share what never changes.

`copy` asks `copyreg` how a class is reduced; of an object that is reduced to a name, a copy is the object itself.
That is said here of records and of frozen mappings, which are most of what probes keep.
"""

from __future__ import annotations

import copyreg
from copy import deepcopy
from types import MappingProxyType
from typing import TypeVar, get_args

from cache_core.events import Record

T = TypeVar("T")


def twin_of(known: T) -> T:
    """Return a copy that shares nothing that changes."""
    return deepcopy(known)


def _itself(frozen: object) -> str:
    """Reduce an object to a name, so that it is its own copy."""
    return type(frozen).__name__


for _frozen in (MappingProxyType, *get_args(Record)):
    copyreg.pickle(_frozen, _itself)

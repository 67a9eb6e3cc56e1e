"""The pools of SGLang's caches: how many tokens of each component are free, evictable, protected, held."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from cache_core.event_codec import head
from cache_core.events import Pool, RawRecord
from probes.inside.wrapping import clock

_POOL = head(Pool)

Reading = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class PoolReadings:
    """The calls that tell of one component's pool."""

    component: int
    free: Reading
    evictable: Reading
    protected: Reading
    total_tokens: int


def components_of(cache: Any) -> tuple[str, ...]:
    """Return the names of a cache's components, in the order of its own numbers."""
    told = getattr(cache, "tree_components", None)
    if told:
        return tuple(str(getattr(each, "name", each)).lower() for each in told)
    name = type(cache).__name__.lower()
    if "mamba" in name:
        return ("full", "mamba")
    return ("full", "swa") if "swa" in name else ("full",)


def readings_of(cache: Any) -> tuple[PoolReadings, ...]:
    """Return the readings of each component whose pool tells its size; the others are not told at all."""
    names = components_of(cache)
    found = (_reading(cache, number, name, alone=len(names) == 1) for number, name in enumerate(names))
    return tuple(reading for reading in found if reading is not None)


def protected_names(cache: Any) -> tuple[str, ...]:
    """Return the methods that say how much of each component is protected; nothing where one of them is not there."""
    names = components_of(cache)
    found = tuple(_size_name(cache, name, "protected", alone=len(names) == 1) for name in names)
    return () if "" in found else found


def pool_records(readings: tuple[PoolReadings, ...]) -> Iterator[RawRecord]:
    """Read the pools and yield a record for each; none for one that is amid giving slots back, as sums tell."""
    for pool in readings:
        free, evictable, protected = int(pool.free()), int(pool.evictable()), int(pool.protected())
        held = pool.total_tokens - free - evictable - protected
        if held >= 0:
            yield (_POOL, clock(), pool.component, free, evictable, protected, held)


def total_tokens(cache: Any, name: str) -> int | None:
    """Return the size of a component's pool, None where it is not told."""
    if name == "mamba":
        size = getattr(_states(cache), "size", None)
    else:
        allocator = getattr(cache, "token_to_kv_pool_allocator", None)
        size = getattr(allocator, f"size_{name}", None)
        if size is None and name == "full":
            size = getattr(allocator, "size", None)
    return size if isinstance(size, int) else None


def _reading(cache: Any, number: int, name: str, alone: bool) -> PoolReadings | None:
    total = total_tokens(cache, name)
    free = _free(cache, name)
    evictable = _sizes(cache, name, "evictable", alone)
    protected = _sizes(cache, name, "protected", alone)
    if total is None or free is None or evictable is None or protected is None:
        return None
    return PoolReadings(number, free, evictable, protected, total)


def _sizes(cache: Any, name: str, what: str, alone: bool) -> Reading | None:
    method = _size_name(cache, name, what, alone)
    return getattr(cache, method) if method else None


def _size_name(cache: Any, name: str, what: str, alone: bool) -> str:
    """Return the name of the method that tells one size of a component, empty where there is none."""
    plain = (f"{what}_size",) if alone and name == "full" else ()
    choices = (*plain, f"{name}_{what}_size")
    return next((choice for choice in choices if callable(getattr(cache, choice, None))), "")


def _free(cache: Any, name: str) -> Reading | None:
    if name == "mamba":
        reading = getattr(_states(cache), "available_size", None)
    else:
        allocator = getattr(cache, "token_to_kv_pool_allocator", None)
        reading = getattr(allocator, f"{name}_available_size", None)
        if reading is None and name == "full":
            reading = getattr(allocator, "available_size", None)
    return reading if callable(reading) else None


def _states(cache: Any) -> Any:
    rows = getattr(cache, "req_to_token_pool", None)
    return getattr(rows, "mamba_allocator", None) or getattr(rows, "mamba_pool", None)

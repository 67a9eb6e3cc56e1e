"""What is varied, and every combination of it: read off the command line, typed and checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import get_type_hints

from cache_core.branching import floor_page
from cache_core.config import CacheConfig
from cache_core.errors import ConfigError
from radixtop.compare.kinds import Parse, parser_of
from radixtop.compare.sizes import Measure, slots_of
from radixtop.compare.words import name_of
from radixtop.errors import UsageError
from radixtop.replay.settings import ReplaySettings

_NESTED = ("config", "costs")
_STATES = ("mamba_slots", "mamba_host_slots")
"""Pools that hold states, not tokens: pages do not matter to them."""
MOST_COMBINATIONS = 10_000


@dataclass(frozen=True, slots=True)
class Axis:
    """A setting that is varied, and its values as they were written."""

    key: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Combination:
    """A value for each axis, and the settings that they amount to."""

    varied: Mapping[str, object]
    settings: ReplaySettings

    @property
    def name(self) -> str:
        """What it is called."""
        return name_of(self.varied)


def keys() -> dict[str, Parse]:
    """Return what can be varied, the settings of the cache and then those of a replay, with what reads values."""
    known: dict[str, Parse] = {}
    for settings in (CacheConfig, ReplaySettings):
        hints = get_type_hints(settings)
        known |= {field.name: parser_of(hints[field.name]) for field in fields(settings) if field.name not in _NESTED}
    return known


def axes_of(texts: Sequence[str]) -> tuple[Axis, ...]:
    """Return what texts such as policy=lru,lfu vary. Raises UsageError, which lists what can be varied."""
    known = keys()
    axes: dict[str, Axis] = {}
    for text in texts:
        key, _, values = text.partition("=")
        key = key.strip().replace("-", "_")
        if key not in known:
            raise UsageError(f"--vary {text!r} names no setting", f"choose from: {', '.join(known)}")
        given = tuple(value.strip() for value in values.split(","))
        if not all(given):
            raise UsageError(f"--vary {text!r} lacks a value", f"values stand behind it: --vary {key}=A,B")
        if key in axes:
            raise UsageError(f"{key} is varied twice", f"name all its values at once: --vary {key}=A,B,C")
        axes[key] = Axis(key, given)
    return tuple(axes.values())


def combinations(
    base: ReplaySettings, axes: Sequence[Axis], slot_bytes: float | None = None
) -> tuple[Combination, ...]:
    """Return the cross product of the axes over `base`, the last axis fastest, each different settings once.

    Sizes go by the pools of `base`, shares by the full pool of the combination; both are rounded down to pages.
    `slot_bytes` is what a slot of the full pool takes, where a size may be in bytes. Raises UsageError for a value
    that is none and for a combination that cannot be.
    """
    count = 1
    for axis in axes:
        count *= len(axis.texts)
    if count > MOST_COMBINATIONS:
        raise UsageError(f"that makes {count:,} combinations, more than {MOST_COMBINATIONS:,}", "vary less at once")
    found: dict[ReplaySettings, Combination] = {}
    for chosen in product(*(axis.texts for axis in axes)):
        texts = dict(zip((axis.key for axis in axes), chosen, strict=True))
        combination = _combined(base, texts, slot_bytes)
        found.setdefault(combination.settings, combination)
    return tuple(found.values())


def _combined(base: ReplaySettings, texts: Mapping[str, str], slot_bytes: float | None) -> Combination:
    parsers = keys()
    values = {key: parsers[key](key, text) for key, text in texts.items() if not _is_pool(key) or text == "none"}
    page = values.get("page_size", base.config.page_size)
    assert isinstance(page, int), f"{page=}"
    if page < 1:
        raise UsageError(f"page_size is {page}, at least 1 is needed", "such as page_size=1,16,64")
    for key in sorted(texts.keys() - values.keys(), key=lambda key: key != "full_slots"):
        full_slots = values.get("full_slots", base.config.full_slots)
        assert isinstance(full_slots, int), f"{full_slots=}"
        of_full = None if key == "full_slots" else full_slots
        slots = slots_of(key, texts[key], Measure(getattr(base.config, key), of_full, slot_bytes))
        values[key] = slots if key in _STATES or not slots else max(page, floor_page(slots, page))
    varied = {key: values[key] for key in texts}
    try:
        return Combination(varied, base.scaled(**values))
    except ConfigError as error:
        raise UsageError(f"{name_of(varied)} cannot be: {error}") from None


def _is_pool(key: str) -> bool:
    return key.endswith("_slots")

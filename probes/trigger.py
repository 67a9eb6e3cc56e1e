"""A trigger: a fold of records that says when something happened that is worth keeping. And the table of all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from cache_core.registry import Registry
from probes.fold import Folds
from probes.mirror import Mirror


class Threshold(NamedTuple):
    """One number that a trigger goes by: what it is unless told, and what it means."""

    default: float
    meaning: str


class Trigger(ABC):
    """Watches one stream. Time comes with the records and with `now`: a trigger reads no clock.

    It is constructed with the mirror of the tree, which it only reads. `set_to` overrides thresholds by their names.
    """

    thresholds: ClassVar[Mapping[str, Threshold]]
    """Every threshold by its name."""

    def __init__(self, mirror: Mirror, set_to: Mapping[str, float] = MappingProxyType({})) -> None:
        assert set_to.keys() <= self.thresholds.keys(), f"{set_to=}"
        self.mirror = mirror
        self.levels = {name: set_to.get(name, known.default) for name, known in self.thresholds.items()}

    @abstractmethod
    def folds(self) -> Folds:
        """Return what takes which record class."""

    @abstractmethod
    def reason(self, now: int) -> str:
        """Return what happened, in words with figures, if it has as of `now`; else nothing."""

    def lost(self) -> None:
        """Records are missing before the next one."""


TRIGGERS: Registry[type[Trigger]] = Registry(
    "trigger",
    {
        "eviction-storm": "probes.triggers.eviction_storm:EvictionStorm",
        "hit-drop": "probes.triggers.hit_drop:HitDrop",
    },
)

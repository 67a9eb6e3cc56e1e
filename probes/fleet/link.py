"""The contract of what a fleet is made of: a server or a stream, with the ranks that are found there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from probes.fleet.figures import RankName
from probes.kv_mirror.follower import RankFollower
from probes.scrapes.figures import EngineFigures
from probes.snapshot import SourceState


@dataclass(frozen=True, slots=True)
class Member:
    """A rank that is followed, and what its server says of itself: engine, version, model, full_slots, ..."""

    name: RankName
    follower: RankFollower
    facts: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


class Link(ABC):
    """One target. Nothing of it raises or waits; what is wrong is in its state."""

    name: str
    engine: str

    @property
    @abstractmethod
    def members(self) -> Sequence[Member]:
        """The ranks found so far, which only ever grow in number."""

    @abstractmethod
    def poll(self) -> list[EngineFigures]:
        """Look whether ranks were found, and return what metrics came; the members are polled by the caller."""

    @abstractmethod
    def state(self) -> SourceState:
        """Return how it is doing as long as it has no members: what it lacks and what is wrong."""

    def remark(self) -> str:
        """Return what is wrong with it besides what its members say, "" for nothing."""
        return ""

    @abstractmethod
    def close(self) -> None:
        """Let go of it and its members."""

"""The contract of what a fleet is made of: a server or a stream, with the ranks that are found there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from probes.fleet.figures import RankName
from probes.kv_mirror.follower import RankFollower
from probes.scrapes.figures import EngineFigures
from probes.snapshot import SourceState


@dataclass(frozen=True, slots=True)
class Member:
    """A rank that is followed, by its name."""

    name: RankName
    follower: RankFollower


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
        """Return the state of the target itself, asked only while it has no members."""

    @property
    def is_reaching(self) -> bool:
        """Whether a first answer is awaited, of the target or of any member, and did not fail to come."""
        return any(member.follower.is_awaited for member in self.members)

    @property
    def has_failed(self) -> bool:
        """Whether nothing came of it, and what is wrong is known."""
        standings = [member.follower.standing() for member in self.members]
        return bool(standings) and all(one.state == "starting" and not one.is_waiting for one in standings)

    def remark(self) -> str:
        """Return what is wrong with it besides what its members say, "" for nothing."""
        return ""

    @abstractmethod
    def close(self) -> None:
        """Let go of it and its members."""

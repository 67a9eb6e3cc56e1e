"""What a tape's blocks are wound onto: a file, one file after the other, or the last seconds in memory.

A reel is divided: each part can be read alone, since it begins with the tree. It is the reel that says when the next
part is due, and the tape that then states the tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from probes.blocks import DELTAS, SNAPSHOT_END


class Fill:
    """How full a part is, in bytes of statements of the tree and of records as they happened.

    A part may hold `limit_bytes`, or twice what the tree at its beginning takes when that is more: a large tree makes
    longer parts, never parts that are nothing but the tree. None is no limit.
    """

    __slots__ = ("_opening_bytes", "delta_bytes", "limit_bytes", "state_bytes")

    def __init__(self, limit_bytes: int | None, size: int = 0) -> None:
        self.limit_bytes = limit_bytes
        self.state_bytes = 0
        self.delta_bytes = size
        self._opening_bytes = 0

    @property
    def size_bytes(self) -> int:
        """All bytes."""
        return self.state_bytes + self.delta_bytes

    def add(self, kind: int, size: int) -> None:
        """Count a block of a kind, with what it brought along."""
        if kind == DELTAS:
            self.delta_bytes += size
            return
        self.state_bytes += size
        if kind == SNAPSHOT_END:
            self._opening_bytes = self._opening_bytes or self.state_bytes

    def is_full(self, size: int, busy: bool) -> bool:
        """Say whether a block of `size` bytes belongs to the next part.

        While the tree is being told the part goes on, unless the records alone have come to twice its room.
        """
        if self.limit_bytes is None:
            return False
        room = max(self.limit_bytes, 2 * (self._opening_bytes or self.state_bytes))
        return self.delta_bytes >= 2 * room if busy else self.size_bytes + size > room


class Reel(ABC):
    """Takes the blocks of a stream in order. `fault` says why it takes no more; `records` counts what it took."""

    repeats_tree: ClassVar[bool] = False
    """Whether the tree should be stated now and then within a part as well."""

    def __init__(self) -> None:
        self.fault = ""
        self.records = 0

    @property
    @abstractmethod
    def size_bytes(self) -> int:
        """The bytes it holds, in memory or in the files that are still there."""

    @abstractmethod
    def turn(self, size: int, at: int, busy: bool) -> bool:
        """Begin the next part if a block of `size` bytes, flushed at `at`, belongs there, and say whether it does.

        The tree must then be stated before that block. `busy`: it is not whole, or being told, just now.
        """

    @abstractmethod
    def put(self, raw: bytes) -> None:
        """Take a block."""

    @abstractmethod
    def close(self, reason: str, now: int) -> None:
        """End what is open and say why."""

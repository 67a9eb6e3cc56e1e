"""What moves between the device's pools and the host's, as a step asks for it. Needs no torch."""

from __future__ import annotations

from typing import Protocol


class Traffic(Protocol):
    """What a step asks of the tier below the device; each call returns at once."""

    def start(self) -> None:
        """Start every copy that the cache has queued."""

    def fence(self) -> None:
        """Let the next forward read what was loaded."""

    def settle(self) -> None:
        """Tell the cache which copies have ended, so that it drops their locks."""

    def close(self) -> None:
        """Carry out what is queued, wait for what moves, tell the cache."""


class NoTraffic:
    """For a cache without a host tier."""

    def start(self) -> None:
        """Do nothing."""

    def fence(self) -> None:
        """Do nothing."""

    def settle(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

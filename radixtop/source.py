"""What the dashboard watches: as the screens see it, and as the one who opened it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from radixtop.errors import RadixtopError

if TYPE_CHECKING:
    from probes.mirror import Mirror
    from probes.snapshot import Snapshot
    from radixtop.playing.transport import Transport


class Source(Protocol):
    """What screens are fed from. Everything of it is called on the polling thread alone."""

    @property
    def transport(self) -> Transport | None:
        """The controls of its time, if it has any yet; `tick` is what moves it, and `mirror` is of its moment."""

    @property
    def mirror(self) -> Mirror | None:
        """The mirror of the tree, once there is one; `tick` is what changes it."""

    def tick(self, now: int) -> Snapshot:
        """Take in what is new and return every sample as of `now` (ns)."""


class Watched(Source, Protocol):
    """A source with an end, which whoever opened it brings about: see `radixtop.session.Session`."""

    def close(self) -> None:
        """Let go of the source."""

    def check(self) -> None:
        """Raise what went wrong with the source; call it after `close`."""


@runtime_checkable
class Follower(Protocol):
    """A source of several ranks, one of which the tree is of."""

    def follow(self, server: str, rank: int) -> str:
        """Let the tree be that of another rank from now on, and return what to say of it. May raise RadixtopError."""


def follower_of(source: object) -> Follower:
    """Return what can follow another rank. Raises RadixtopError for a source of one cache."""
    if not isinstance(source, Follower):
        raise RadixtopError("there is no other rank to follow")
    return source


def transport_of(source: Source) -> Transport:
    """Return the controls of a source's time. Raises RadixtopError where there are none."""
    if source.transport is None:
        raise RadixtopError("there is no other moment to go to")
    return source.transport

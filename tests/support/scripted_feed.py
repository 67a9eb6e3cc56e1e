"""A feed that hands out what a test says."""

from __future__ import annotations

from probes.kv_feed.happenings import FeedState, Happening


class ScriptedFeed:
    """Hands out `happenings` at the next call, and is as `told`."""

    def __init__(self) -> None:
        self.happenings: list[Happening] = []
        self.is_closed = False
        self.told = FeedState(is_connected=True)

    def take(self) -> list[Happening]:
        taken, self.happenings = self.happenings, []
        return taken

    def state(self) -> FeedState:
        return self.told

    def close(self) -> None:
        self.is_closed = True

"""What the parts of a gathering share: the tree, the requests, the configuration, and which part of a run counts."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from probes.lives.request_log import RequestLog
from probes.mirror import Mirror
from profiles.judging import number_of


class Scope:
    """`from_ns` and `to_ns` count from the first record: what happens in [from, to) counts."""

    __slots__ = ("began_at", "config", "from_ns", "log", "mirror", "newest_at", "to_ns")

    def __init__(self, from_ns: float = 0, to_ns: float = inf) -> None:
        self.from_ns = from_ns
        self.to_ns = to_ns
        self.mirror = Mirror()
        self.log = RequestLog()
        self.config: Mapping[str, object] = {}
        self.began_at: int | None = None
        self.newest_at = 0

    @property
    def is_whole(self) -> bool:
        """Whether everything counts."""
        return not self.from_ns and self.to_ns == inf

    @property
    def page_tokens(self) -> int:
        """The page of the cache."""
        return number_of(self.config, "page_size") or 1

    @property
    def start_at(self) -> int:
        """When what counts begins, on the clock of the records."""
        return int((self.began_at or 0) + self.from_ns)

    @property
    def end_at(self) -> int:
        """When what counts ends, as far as the run has come."""
        return int(min(self.newest_at, (self.began_at or 0) + self.to_ns))

    def sees(self, at: int) -> None:
        """Take note of the time of a record."""
        if self.began_at is None:
            self.began_at = at
        if at > self.newest_at:
            self.newest_at = at

    def counts(self, at: int) -> bool:
        """Say whether what happens at a time counts."""
        self.sees(at)
        return self.from_ns <= at - (self.began_at or 0) < self.to_ns

    def since(self, at: int | None) -> int | None:
        """Return a time as ns since what counts began."""
        return None if at is None else max(0, at - self.start_at)

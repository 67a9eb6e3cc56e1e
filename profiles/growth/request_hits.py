"""What requests reused and what they computed again, where it lies: counted once, at their first admission."""

from __future__ import annotations

from typing import NamedTuple

from cache_core.events import Match, RequestAdmitted, RequestFinished, RequestRefused, RequestRetracted
from probes.lives.admissions import FirstAdmissions
from probes.lives.loads import Loads, Told
from probes.mirror import Mirror
from probes.newest import forget_oldest
from probes.plausible import tokens_in
from profiles.growth.marks import Marks

_MOST_MATCHED = 1 << 16
"""So many requests may have been matched and not be admitted yet; more were aborted."""


class _Found(NamedTuple):
    """The keys of the paths that a match went, and how many tokens of each it found."""

    hit_key: int | None
    full_key: int | None
    hit: int
    usable: int
    full_hit: int


class _OnHost(NamedTuple):
    """Positions [first, last) of a path that a request found in host memory."""

    key: int | None
    first: int
    last: int


class RequestHits:
    """Marks hits and gaps. How many tokens they are is what the request's record says; where, what its match said."""

    def __init__(self, marks: Marks, mirror: Mirror) -> None:
        self._marks = marks
        self._mirror = mirror
        self._matched: dict[int, _Found] = {}
        self._loads: Loads[_OnHost] = Loads()
        self._admissions = FirstAdmissions()

    def matched(self, match: Match) -> None:
        """Keep what a request's match found until the request is admitted with it; a bare match reuses nothing."""
        if match.request < 0:
            return
        hit, usable = match.device_hit_tokens, match.device_hit_tokens + match.host_hit_tokens
        full_hit = max(usable, match.full_hit_tokens)  # it may not be told
        found = _Found(self._key(match.node), self._key(match.full_node), hit, usable, full_hit)
        self._matched[match.request] = found
        if len(self._matched) > _MOST_MATCHED:
            forget_oldest(self._matched)

    def admitted(self, record: RequestAdmitted) -> None:
        """Count the hit and the gap of a request at its first admission, what is on the host as part of the gap."""
        hit = record.device_hit_tokens
        usable = hit + record.host_hit_tokens
        full_hit = usable + max(0, record.recomputed_tokens)  # an unknown gap is no part of the tree
        found = self._matched.pop(record.request, None)
        if found is None or found[2:] != (hit, usable, full_hit):
            found = _Found(None, None, hit, usable, full_hit)
        first = self._admissions.admitted(record.request)
        if first and tokens_in(hit, record.host_hit_tokens, full_hit):
            self._marks.cover("hits", found.hit_key, 0, hit)
            self._marks.cover("recomputed", found.full_key, hit, full_hit)
            if usable > hit:
                self._loads.expect(record.request, _OnHost(found.full_key, hit, usable))

    def told(self, record: Told) -> None:
        """Count what a request loaded from the host as a hit; a load that failed after all takes that back."""
        news = self._loads.told(record)
        if news is None:
            return
        (key, first, last), loaded = news
        if not tokens_in(abs(loaded)):
            return
        times = 1 if loaded > 0 else -1
        behind = first + abs(loaded)
        self._marks.cover("hits", key, first, behind, times)
        self._marks.cover("recomputed", key, first, min(last, behind), -times)

    def retracted(self, record: RequestRetracted) -> None:
        """Take note that a request may return."""
        self.told(record)
        self._matched.pop(record.request, None)
        self._admissions.retracted(record.request)

    def finished(self, record: RequestFinished) -> None:
        """Take note that a request is over."""
        self.told(record)
        self.refused(record)

    def refused(self, record: RequestRefused | RequestFinished) -> None:
        """Take note that whoever comes with the number of a request is another one."""
        self._matched.pop(record.request, None)
        self._admissions.ended(record.request)

    def _key(self, node: int) -> int | None:
        found = self._mirror.nodes.get(node)
        return None if found is None else found.content_key

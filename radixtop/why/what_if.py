"""What each finding's change would give: the recording served again without it and with it.

All replays serve the same requests: as many as the first one came to in its share of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from cache_core.errors import ConfigError
from profiles.evidence.evidence import Evidence
from profiles.finding import Finding, Gain
from profiles.profile import Profile
from profiles.replay.requests import RecordedRequest, RecordedRequests
from radixtop.why.rerun import Served, Serving, serve, serving_of

LEAST_REQUESTS = 8
Narrate = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Replays:
    """How long all replays may take together, and who is told how they go."""

    limit_s: float
    narrate: Narrate


def measured(profile: Profile, evidence: Evidence, findings: Sequence[Finding], how: Replays) -> tuple[Finding, ...]:
    """Return findings with the gain of their changes, as far as a replay can tell and there is time.

    Raises RecordingError for a recording that cannot be served again.
    """
    wanted = [finding for finding in findings if finding.change is not None and finding.change.settings]
    if not wanted:
        return tuple(findings)
    serving = serving_of(evidence.config, evidence.work)
    until = monotonic() + how.limit_s
    how.narrate("reading the requests of the recording")
    requests = RecordedRequests(profile).requests()
    share = how.limit_s / (len(wanted) + 1)
    how.narrate(f"replaying {len(requests):,} requests as they were")
    before = serve(requests, serving, _late(monotonic() + share))
    if before.requests < LEAST_REQUESTS:
        return tuple(findings)
    requests = requests if before.is_whole else requests[: before.requests]
    left = replace(how, limit_s=max(0.0, until - monotonic()))
    gains = dict(_gains(wanted, requests, serving, before, left))
    return tuple(replace(finding, gain=gains.get(finding.name)) for finding in findings)


def _gains(
    findings: Sequence[Finding], requests: Sequence[RecordedRequest], serving: Serving, before: Served, how: Replays
) -> Iterator[tuple[str, Gain]]:
    until = monotonic() + how.limit_s
    for finding in findings:
        change = finding.change
        assert change is not None
        how.narrate(f"replaying with {change.flag} {change.value}".rstrip())
        try:
            after = serve(requests, serving.changed(change.settings), _late(until))
        except ConfigError as error:
            how.narrate(f"{change.flag} {change.value} cannot be replayed: {error}")
            continue
        if after.is_whole:
            by = f"replay of {after.requests:,} requests without a model"
            yield finding.name, Gain(before.hit_rate, after.hit_rate, by)
        else:
            how.narrate("out of time: --limit gives more")


def _late(until: float) -> Callable[[], bool]:
    return lambda: monotonic() > until

"""What each finding's change would give: the recording served again without it and with it.

All replays serve the same requests: as many as the first one came to in its share of the time. They are served as
`radixtop compare` serves them (`radixtop/replay/recorded.py`), so the rates are those of its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from cache_core.errors import CacheError, ConfigError
from probes.errors import RecordingError
from profiles.evidence.evidence import Evidence
from profiles.finding import Finding, Gain
from profiles.profile import Profile
from profiles.ranking import diagnose
from profiles.replay.requests import RecordedRequest, RecordedRequests
from profiles.traces.recording import traced
from radixtop.replay.recorded import recorded_engine
from radixtop.replay.recorded_hits import RecordedHits, far_off
from radixtop.replay.result import ReplayResult
from radixtop.replay.settings import ReplaySettings
from radixtop.replay.trace_replay import ReplayProgress, replay_trace

LEAST_REQUESTS = 8
FEW = f"fewer than {LEAST_REQUESTS} requests are in the replay"
LATE = "out of time: --limit gives more"
Narrate = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Replays:
    """How long all replays may take together, and who is told how they go."""

    limit_s: float
    narrate: Narrate


class MisleadingError(RecordingError):
    """What a replay with a change says would not hold for the load that was recorded."""


@dataclass(frozen=True, slots=True)
class Load:
    """The requests of a recording in the order in which they came, and how they were served."""

    requests: Sequence[RecordedRequest]
    settings: ReplaySettings
    found: RecordedHits

    def check(self, replayed: ReplayResult) -> None:
        """Raise MisleadingError where a replay without a change hits far more or less than was recorded."""
        ended = replayed.finished + replayed.refused
        off = far_off(self.found.rate(ended if replayed.interrupted else None), replayed.hit_rate)
        if off:
            raise MisleadingError(off, "what a change gives cannot be told by a replay of it")


def measured(profile: Profile, evidence: Evidence, findings: Sequence[Finding], how: Replays) -> tuple[Finding, ...]:
    """Return findings with the gain of their changes, as far as a replay can tell and there is time.

    None has a gain where the load is not all there, or a replay of it hits what was not recorded. Which has none
    says why. They stand in the order that these gains put them in (`profiles/ranking.py`).
    Raises RecordingError for a recording that cannot be served again.
    """
    wanted = [finding for finding in findings if _can_be_tried(finding)]
    if not wanted:
        return tuple(findings)
    until = monotonic() + how.limit_s
    how.narrate("reading the requests of the recording")
    try:
        load = load_of(profile)
    except MisleadingError as error:
        return unmeasured(findings, error.message)
    requests = load.requests
    share = how.limit_s / (len(wanted) + 1)
    how.narrate(f"replaying {len(requests):,} requests as they were")
    before = serve(requests, load.settings, _late(monotonic() + share))
    ended = before.finished + before.refused
    if ended < LEAST_REQUESTS:
        return unmeasured(findings, LATE if before.interrupted else FEW)
    try:
        load.check(before)
    except MisleadingError as error:
        return unmeasured(findings, error.message)
    requests = requests[:ended] if before.interrupted else requests
    left = replace(how, limit_s=max(0.0, until - monotonic()))
    found = dict(_gains(wanted, requests, before, left))
    gains = {name: gain for name, gain in found.items() if isinstance(gain, Gain)}
    reasons = {name: reason for name, reason in found.items() if isinstance(reason, str)}
    asked = {finding.name for finding in findings}
    return tuple(
        replace(finding, gain_refused=reasons.get(finding.name, ""))
        for finding in diagnose(evidence, gains)
        if finding.name in asked
    )


def unmeasured(findings: Sequence[Finding], reason: str) -> tuple[Finding, ...]:
    """Return findings of which none is measured, for a reason."""
    return tuple(replace(finding, gain_refused=reason) if _can_be_tried(finding) else finding for finding in findings)


def _can_be_tried(finding: Finding) -> bool:
    return finding.change is not None and bool(finding.change.settings)


def _gains(
    findings: Sequence[Finding], requests: Sequence[RecordedRequest], before: ReplayResult, how: Replays
) -> Iterator[tuple[str, Gain | str]]:
    """Yield what the change of each gives, or why that is not known."""
    until = monotonic() + how.limit_s
    for finding in findings:
        change = finding.change
        assert change is not None
        how.narrate(f"replaying with {change.flag} {change.value}".rstrip())
        try:
            after = serve(requests, before.settings.changed(**dict(change.settings)), _late(until))
        except ConfigError as error:
            yield finding.name, f"{change.flag} {change.value} cannot be replayed: {error}"
            continue
        yield finding.name, LATE if after.interrupted else gain_of(before.hit_rate, after)


def load_of(profile: Profile) -> Load:
    """Return what a recording has to be served again. Raises RecordingError where that cannot be.

    That is MisleadingError where records are missing, and requests may be.
    """
    engine = recorded_engine(profile)
    if not engine.is_told:
        raise RecordingError("the recording is of no engine of ours", "record one: radixtop live --record FILE")
    if profile.missing.has_holes:
        raise MisleadingError(f"requests may be missing, {profile.missing.line}", "record again")
    return Load(RecordedRequests(profile).requests(), engine.settings, engine.found)


def gain_of(before: float | None, after: ReplayResult) -> Gain:
    """Return what a replay with a change gives, against the hit rate of the one without it."""
    return Gain(before or 0.0, after.hit_rate or 0.0, f"replay of {after.requests:,} requests without a model")


def serve(
    requests: Sequence[RecordedRequest],
    settings: ReplaySettings,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[ReplayProgress], object] | None = None,
) -> ReplayResult:
    """Serve recorded requests again, until `stop` says that it is enough. Raises RecordingError."""
    zero_ns = requests[0].at if requests else 0
    try:
        load = (traced(request, zero_ns) for request in requests)
        return replay_trace(load, settings, stop=stop, progress=progress)
    except CacheError as error:
        raise RecordingError(f"the recorded load cannot be served again: {error}") from None


def _late(until: float) -> Callable[[], bool]:
    return lambda: monotonic() > until

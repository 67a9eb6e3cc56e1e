"""What a finding is, the contract of a diagnosis, and the table of them.

A diagnosis looks at the evidence of a run and says what is wrong, what that costs, how sure it is and what to change;
or nothing. Each claims the lost tokens that it explains, by account (`profiles.evidence.evidence`), so that a symptom
does not stand before its cause: see `profiles.ranking`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from cache_core.registry import Registry
from profiles.evidence.evidence import Evidence

Severity = Literal["note", "warn", "alarm"]
SEVERITIES: tuple[Severity, ...] = ("note", "warn", "alarm")
"""From the least to the most."""

Sureness = Literal["guess", "likely", "sure"]

LEAST_POINTS = 0.5
"""A change that brings less hit rate does not help."""


@dataclass(frozen=True, slots=True)
class Amount:
    """One piece of evidence: what it is, how much or which, and its unit ("tokens", "ms", "nodes", "name", ...)."""

    label: str
    value: int | float | str
    unit: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What is lost: `tokens` computed that need not have been, `share` (0..1) of all prompt tokens.

    `ms` is derived from the measured time of a prefilled token, except where `is_measured`; None where that is not
    known. `tokens` of a cost that is time are derived the same way. Where requests are `unserved`, got no answer at
    all, `share` is theirs of all requests.
    """

    tokens: int = 0
    ms: float | None = None
    share: float = 0.0
    is_measured: bool = False
    unserved: int = 0


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure a finding is, and why."""

    level: Sureness
    reason: str


@dataclass(frozen=True, slots=True)
class Change:
    """What to change: our flag and its value, and the flags of other engines as (engine, flag).

    `settings` are the fields that a replay changes to try it, empty for what a replay cannot do. A `flag` of "" is a
    change of whoever sends the requests.
    """

    advice: str
    flag: str = ""
    value: str = ""
    settings: tuple[tuple[str, int | str | bool | None], ...] = ()
    elsewhere: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Gain:
    """The hit rate (0..1) of a replay of the recording without and with the change, and how it was replayed."""

    before: float
    after: float
    by: str

    @property
    def points(self) -> float:
        """The difference, in percentage points."""
        return 100 * (self.after - self.before)

    @property
    def helps(self) -> bool:
        """Whether the change is worth its flag: less than half a point is not."""
        return self.points >= LEAST_POINTS


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. `since_ns` counts from the start of what was looked at, None where nobody saw it.

    `claims` are lost tokens by account, a part of `cost`. `explained_by` names the finding that stands behind it.
    `gain` is None until it is measured; `gain_refused` says why a replay of its change tells nothing, "" where none
    was wanted. `severity_by_cost` is how severe it would be without its gain, None if just as severe. `questions` are
    those of users that it answers, by their numbers in `profiles.questions`.
    """

    name: str
    title: str
    severity: Severity
    cost: Cost
    confidence: Confidence
    evidence: tuple[Amount, ...] = ()
    since_ns: int | None = None
    change: Change | None = None
    gain: Gain | None = None
    gain_refused: str = ""
    questions: tuple[int, ...] = ()
    claims: tuple[tuple[str, int], ...] = ()
    explained_by: str | None = None
    severity_by_cost: Severity | None = None


class Diagnosis(ABC):
    """Looks for one kind of trouble."""

    explains: ClassVar[frozenset[str]] = frozenset()
    """Findings that are symptoms of this one: they may claim only what this one leaves of an account."""
    is_symptom: ClassVar[bool] = False
    """Whether it says what happened, or how a load is, rather than what is wrong: it stands behind what does."""

    @abstractmethod
    def find(self, evidence: Evidence) -> Finding | None:
        """Return what was found; None where there is nothing of that kind, or nobody can tell."""


FINDINGS: Registry[type[Diagnosis]] = Registry(
    "finding",
    {
        "salted_requests": "profiles.findings.salted_requests:SaltedRequests",
        "early_divergence": "profiles.findings.early_divergence:EarlyDivergence",
        "late_divergence": "profiles.findings.late_divergence:LateDivergence",
        "swa_pool_small": "profiles.findings.swa_pool_small:SwaPoolSmall",
        "state_pool_small": "profiles.findings.state_pool_small:StatePoolSmall",
        "state_chunk_coarse": "profiles.findings.state_chunk_coarse:StateChunkCoarse",
        "branching_off": "profiles.findings.branching_off:BranchingOff",
        "capacity_small": "profiles.findings.capacity_small:CapacitySmall",
        "policy_unfit": "profiles.findings.policy_unfit:PolicyUnfit",
        "lpm_fallback": "profiles.findings.lpm_fallback:LpmFallback",
        "retraction_storm": "profiles.findings.retraction_storm:RetractionStorm",
        "page_size": "profiles.findings.page_size:PageSize",
        "tenant_flood": "profiles.findings.tenant_flood:TenantFlood",
        "tail_windows_lost": "profiles.findings.tail_windows_lost:TailWindowsLost",
        "eviction_stall": "profiles.findings.eviction_stall:EvictionStall",
        "chunk_boundary": "profiles.findings.chunk_boundary:ChunkBoundary",
        "reuse_off": "profiles.findings.reuse_off:ReuseOff",
        "computed_twice": "profiles.findings.computed_twice:ComputedTwice",
        "host_unloaded": "profiles.findings.host_unloaded:HostUnloaded",
        "long_waits": "profiles.findings.long_waits:LongWaits",
        "slots_leak": "profiles.findings.slots_leak:SlotsLeak",
        "dead_weight": "profiles.findings.dead_weight:DeadWeight",
        "hit_drop": "profiles.findings.hit_drop:HitDrop",
        "requests_refused": "profiles.findings.requests_refused:RequestsRefused",
        "requests_aborted": "profiles.findings.requests_aborted:RequestsAborted",
        "nothing_finished": "profiles.findings.nothing_finished:NothingFinished",
        "records_lost": "profiles.findings.records_lost:RecordsLost",
    },
)


def at_least(finding: Finding, severity: Severity) -> bool:
    """Say whether a finding is as severe as that."""
    return SEVERITIES.index(finding.severity) >= SEVERITIES.index(severity)

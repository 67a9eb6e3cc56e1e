"""What passes between the findings on screen and the thread that has the records: a question, and a page of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from profiles.finding import Finding

if TYPE_CHECKING:
    from profiles.evidence.evidence import Evidence


@dataclass(frozen=True, slots=True)
class WhyQuestion:
    """What is wrong up to the moment that is shown: of the whole run, or from a moment of it on (ns, its clock)."""

    answerer: ClassVar[str] = "radixtop.why.answerer:WhyAnswerer"

    from_at: int | None = None


@dataclass(frozen=True, slots=True)
class WhyPage:
    """The findings in their order, and what they go by.

    `evidence` is None while nothing was read yet, and `trouble` says why nothing ever will be, "" where it can.
    `progress` (0..1) is how far reading has come on the way to the moment that is shown, None once it is there.
    It counts from `starts_at` up to `until`, of a run that began at `run_at`, on the clock of the records; start and
    beginning differ where someone asked for that (`question`), or where what was before is not kept any more.
    `worst` are the requests to look at, by the name of the finding.
    """

    question: WhyQuestion
    findings: tuple[Finding, ...] = ()
    evidence: Evidence | None = None
    progress: float | None = None
    trouble: str = ""
    starts_at: int = 0
    run_at: int = 0
    until: int = 0
    worst: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    @property
    def is_cut(self) -> bool:
        """Whether the beginning of the run is not in it although nobody asked for less."""
        return self.question.from_at is None and self.starts_at > self.run_at

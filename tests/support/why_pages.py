"""Pages of findings that are made up by hand, and a source that gathers such evidence."""

from __future__ import annotations

from dataclasses import replace

from probes.snapshot import Snapshot
from profiles.evidence.evidence import Account, Evidence
from radixtop.why.judged import judged
from radixtop.why.page import WhyPage, WhyQuestion
from tests.support.evidences import HEALTHY, SHOWN
from tests.support.watched import FakeSource

TROUBLED = replace(
    SHOWN["capacity_small"],
    lost={
        **SHOWN["capacity_small"].lost,
        "evicted": Account(30_000, 58, 1_000_000_000, ((61, 512), (223, 459))),
        "in_flight": Account(2_000, 9, 3_000_000_000, ((7, 300),)),
    },
)
"""A cache that is too small, and a few requests that computed the same at once."""


def page_of(name: str = "", question: WhyQuestion | None = None, starts_at: int = 0, run_at: int = 0) -> WhyPage:
    """Return the page of a run with one fault, "" for none."""
    return judged(question or WhyQuestion(), SHOWN[name] if name else HEALTHY, starts_at, run_at)


class WhySource(FakeSource):
    """A made-up source that gathers made-up evidence."""

    found: Evidence = TROUBLED

    def tick(self, now: int) -> Snapshot:
        """See Source."""
        return replace(super().tick(now), since=now - 60_000_000_000)

    def evidence(self) -> Evidence | None:
        """See Gathering."""
        return self.found

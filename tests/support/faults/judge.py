"""What `radixtop why` says of a recording, as far as the lab is concerned."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from profiles.evidence.gather import evidence_of_file
from profiles.finding import FINDINGS, Finding
from profiles.ranking import diagnose


@dataclass(frozen=True, slots=True)
class Verdict:
    """The findings of a recording in their order."""

    findings: tuple[Finding, ...]
    hit_rate: float

    @property
    def causes(self) -> tuple[str, ...]:
        """The names of those that say why, and that cost anything, in their order."""
        costly = (each for each in self.findings if each.cost.tokens or each.cost.unserved)
        return tuple(each.name for each in costly if not _is_symptom(each))

    @property
    def is_alarming(self) -> bool:
        """Whether any of them, symptom or cause, is more than a note."""
        return any(each.severity != "note" for each in self.findings)

    def names_first(self, *names: str) -> bool:
        """Say whether the first causes are these, whatever their order, and the very first finding is one of them."""
        return set(self.causes[: len(names)]) == set(names) and self.findings[0].name in names

    def __str__(self) -> str:
        told = (f"{each.name}({each.severity[0]},{each.cost.share:.1%})" for each in self.findings)
        return f"hit {self.hit_rate:.1%}  " + " ".join(told)


def verdict_of(path: Path) -> Verdict:
    """Diagnose a recording."""
    evidence = evidence_of_file(path)
    return Verdict(diagnose(evidence), evidence.hit_rate or 0.0)


def _is_symptom(finding: Finding) -> bool:
    return FINDINGS.load(finding.name).is_symptom

"""What passes between the findings on screen and who measures what a change gives: a question, and what is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from profiles.finding import Change, Gain

Settings = tuple[tuple[str, int | str | bool | None], ...]


@dataclass(frozen=True, slots=True)
class TrialQuestion:
    """What the change of a finding gives at the moment that is shown.

    Another `number` is another trial, which ends the one before it; a `finding` of "" only ends that.
    """

    answerer: ClassVar[str] = "radixtop.why.trying:TrialAnswerer"

    number: int = 0
    finding: str = ""
    settings: Settings = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """One change being measured: as of the moment `at` (ns, on the clock of the run).

    `served` of `of` requests were replayed so far, 0 of 0 while they are being read. Once it is over there is a
    `gain`, or `trouble` says why none was measured.
    """

    settings: Settings
    at: int
    served: int = 0
    of: int = 0
    gain: Gain | None = None
    trouble: str = ""

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.gain is not None or self.trouble != ""


@dataclass(frozen=True, slots=True)
class Trials:
    """What was measured since one looked, by the names of the findings; the last trial of each."""

    known: Mapping[str, Trial] = field(default_factory=dict)

    def of(self, finding: str, change: Change | None) -> Trial | None:
        """Return what is known of a finding's change; what was known of another change says nothing of it."""
        trial = self.known.get(finding)
        return trial if trial is not None and change is not None and trial.settings == change.settings else None

    @property
    def running(self) -> str:
        """The finding whose change is being measured, "" for none."""
        return next((name for name, trial in self.known.items() if not trial.is_over), "")

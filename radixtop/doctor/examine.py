"""Runs checks at once, each on a thread of its own, and goes on without those that do not end in time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from cache_core.registry import Registry
from probes.engines.access import Access
from probes.engines.connection import Deadline
from radixtop.check import Check, Finding, Status, Subject, checks_for
from radixtop.engine_target import EngineTarget, StreamTarget
from radixtop.errors import exit_code_of, message_of
from radixtop.target import Target

WHOLE_S = 2.9
"""By then everything is told, whatever hangs, unless a server is given more time."""
_TELLING_S = 0.2
"""What of that is left to put answers into words."""


@dataclass(frozen=True, slots=True)
class Examined:
    """What was examined, by its name (None: this machine), and what was found, in the order of the table."""

    target: str | None
    findings: tuple[Finding, ...]

    @property
    def is_reachable(self) -> bool:
        """Whether nothing is missing that watching needs."""
        return not any(each.is_needed and each.status is Status.MISSING for each in self.findings)


def examine(
    targets: Sequence[Target | EngineTarget | StreamTarget | None], access: Access, whole_s: float = WHOLE_S
) -> list[Examined]:
    """Return what every target gives, in their order, after so many seconds or a little more than a server has."""
    seconds = max(whole_s, access.deadline_s + 0.5)
    whole = Deadline(seconds)
    subjects = [Subject(target, access, Deadline(max(seconds - _TELLING_S, seconds / 2))) for target in targets]
    running = [_Running(checks_for(subject.target), subject) for subject in subjects]
    return [
        Examined(None if each.subject.target is None else str(each.subject.target), each.findings(whole))
        for each in running
    ]


class _Running:
    """The checks of one subject, which all run."""

    def __init__(self, checks: Registry[Check], subject: Subject) -> None:
        self.subject = subject
        self._answers: dict[str, SimpleQueue[tuple[Finding, ...]]] = {name: SimpleQueue() for name in checks}
        for name in checks:
            threading.Thread(target=self._run, args=(name, checks), name=f"check {name}", daemon=True).start()

    def findings(self, whole: Deadline) -> tuple[Finding, ...]:
        """Return what every check found; one that hangs is said to."""
        return tuple(finding for name in self._answers for finding in self._found(name, whole))

    def _run(self, name: str, checks: Registry[Check]) -> None:
        try:
            found = tuple(checks.load(name)(self.subject))
        except Exception as error:  # noqa: BLE001 - what one check runs into is no reason to tell nothing of the others
            is_known = exit_code_of(error) is not None
            says, hint = message_of(error) if is_known else (f"the check failed: {type(error).__name__}", "")
            found = (Finding(Status.MISSING, name, says, hint, is_needed=self.subject.target is not None),)
        self._answers[name].put(found)

    def _found(self, name: str, whole: Deadline) -> tuple[Finding, ...]:
        try:
            return self._answers[name].get(timeout=whole.left())
        except (Empty, TimeoutError):
            says = f"no answer within {whole.seconds:g} s"
            return (Finding(Status.MISSING, name, says, is_needed=self.subject.target is not None),)

"""The errors radixtop shows to a person, each with an exit code and a hint.

Layers below raise their own errors; `cli` decides in one place what becomes of those.
"""

from __future__ import annotations

OK = 0
FAILED = 1
USAGE = 2
INTERRUPTED = 130


class RadixtopError(Exception):
    """A run that failed: `message` says what happened, `hint` what to do about it."""

    exit_code = FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(RadixtopError):
    """A command line that cannot be meant; the hint lists the valid choices."""

    exit_code = USAGE


class UnknownNameError(UsageError):
    """A name that is in no table, with the names that are."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        super().__init__(f"{name!r} is no {kind}", f"choose from: {', '.join(known)}")

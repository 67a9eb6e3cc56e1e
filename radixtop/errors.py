"""The errors radixtop shows to a person, each with an exit code and a hint.

Layers below raise their own errors; `cli` decides in one place what becomes of those.
"""

from __future__ import annotations

OK = 0
FAILED = 1
USAGE = 2
INTERRUPTED = 130

_EXIT_CODES = {
    "cache_core.registry.UnknownNameError": USAGE,
    "cache_core.errors.ConfigError": USAGE,
    "cache_core.errors.CacheError": FAILED,
    "probes.errors.ProbeError": FAILED,
    "builtins.OSError": FAILED,
}
"""Errors that a user can cause in the layers below, by full name: naming them here imports nothing."""


class RadixtopError(Exception):
    """A run that failed: `message` says what happened, `hint` what to do about it."""

    def __init__(self, message: str, hint: str = "", exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code


class UsageError(RadixtopError):
    """A command line that cannot be meant; the hint lists the valid choices."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint, USAGE)


def exit_code_of(error: BaseException) -> int | None:
    """Return the exit code of an error that a user can cause, or None for what can only be a bug."""
    if isinstance(error, RadixtopError):
        return error.exit_code
    names = (f"{cls.__module__}.{cls.__qualname__}" for cls in type(error).__mro__)
    return next((_EXIT_CODES[name] for name in names if name in _EXIT_CODES), None)


def message_of(error: BaseException) -> tuple[str, str]:
    """Return what an error says and its hint; some layers keep the two apart."""
    if isinstance(error, OSError) and error.strerror:
        return (f"{error.filename}: " if error.filename else "") + error.strerror, ""
    return str(getattr(error, "message", error)), str(getattr(error, "hint", ""))

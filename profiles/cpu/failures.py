"""What a failure of py-spy means: from its exit code and words to ours."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from profiles.cpu.facts import OurRights
from profiles.cpu.plan import CodeTarget
from profiles.cpu.rights import denied
from profiles.errors import ProfilingError

_DENIED = ("Permission Denied", "(os error 13)", "(os error 1)", "SYS_PTRACE")
_NOTHING_HINT = (
    "an idle process has nothing to count: sample while it works or longer (--duration), count threads without the "
    "interpreter lock (--no-gil) or waiting ones, too (--idle)"
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How py-spy ended and what it said on stderr; a negative code is a signal."""

    code: int
    said: str


def failure(ended: Ended, target: CodeTarget, ours: OurRights) -> ProfilingError:
    """Return what it means that py-spy ended with another code than 0."""
    said, who = ended.said, str(target)
    number = -ended.code if ended.code < 0 else ended.code - 128
    if number in (signal.SIGTERM, signal.SIGKILL):
        name = signal.Signals(number).name
        return ProfilingError(f"py-spy was ended by {name}, and what it had sampled is lost", "end it with ctrl+c")
    if ended.code == 2 and "Usage" in said:
        said = _last_words(said.partition("Usage")[0])
        return ProfilingError(f"this py-spy does not know how to do that: {said}", "pip install -U 'py-spy>=0.4'")
    if any(mark in said for mark in _DENIED):
        return denied(ours, who)
    if "Failed to create process" in said:
        return ProfilingError(f"{who} cannot be started: {_reason(said)}", "give the path of a program")
    if "(os error 2)" in said or "(os error 3)" in said or "No such process" in said:
        return _gone(target)
    if "Failed to find python version" in said or "not a python process" in said.lower():
        return _no_python(target)
    return ProfilingError(
        f"py-spy failed on {who} (exit code {ended.code}): {_last_words(said)}", _report_hint(ended)
    )


def nothing_sampled(target: CodeTarget) -> ProfilingError:
    """Return what to say when py-spy ran and saw nothing."""
    return ProfilingError(f"no data: not one sample of {target}", _NOTHING_HINT)


def _gone(target: CodeTarget) -> ProfilingError:
    if target.pid is None:
        return ProfilingError(f"{target} ended before the first sample", "sample one that works for a second or more")
    return ProfilingError(f"there is no {target} any more", "look for another number: it may have been restarted")


def _no_python(target: CodeTarget) -> ProfilingError:
    hint = "name the Python process itself; what a shell or a launcher starts: add --subprocesses"
    return ProfilingError(f"{target} runs no Python that py-spy knows", hint)


def _report_hint(ended: Ended) -> str:
    return "it could not read its arguments: use fewer of them" if ended.code == 101 else "try py-spy by itself"


def _reason(said: str) -> str:
    return _last_words(said).rpartition("': ")[2]


def _last_words(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"

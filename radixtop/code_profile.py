"""What `radixtop profile cpu` does once its flags are read: sample, and write what was seen."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from profiles.cpu.plan import RAW, TIMED, CodeTarget, SamplingPlan
from profiles.cpu.sampler import Sampled
from profiles.cpu.sampling import Meanwhile, check, remarks, sampled
from radixtop.errors import INTERRUPTED, OK, UsageError
from radixtop.output import opened, packed, tell_written
from radixtop.printable import tell
from radixtop.target import target_of

DURATION_S = 10
"""How long a process is sampled unless told."""

TIMELINE = "chrome_trace"


@dataclass(frozen=True, slots=True)
class CodeProfileRequest:
    """A sampling as it was asked for. `force` goes on in spite of what speaks against it."""

    target: CodeTarget
    plan: SamplingPlan
    format: str
    output: Path | None
    force: bool = False


def code_target(words: Sequence[str]) -> CodeTarget:
    """Return what words name: a process by its number or as shm:PID, or a command. Raises UsageError for neither."""
    word = words[0]
    if len(words) == 1 and word.isascii() and word.isdecimal() and 0 < int(word[:19]) < 1 << 31:
        return CodeTarget(pid=int(word))
    if len(words) == 1 and word.startswith("shm:"):
        return CodeTarget(pid=target_of(word).pid)
    if shutil.which(word) is None:
        hint = "use PID, shm:PID or -- COMMAND"
        raise UsageError(f"{word!r} is neither a process nor a command", hint)
    return CodeTarget(command=tuple(words))


def profile_code(request: CodeProfileRequest) -> int:
    """Sample, write the profile, and return the exit code.

    Raises UsageError for an output that cannot be, ProfilingError when nothing can be sampled or nothing was seen.
    """
    if not request.force:
        check(request.plan, request.target)
    if request.plan.is_blocking:
        sys.stderr.write("note: the process and all its threads stand still for every sample\n")
    # The file is made first: what was sampled must not be lost because it cannot be written.
    is_text, suffix = _shape(request.format)
    with opened(request.output, is_text=is_text) as out, packed(out, request.output, suffix) as packed_out:
        write = _write_timeline if request.format == TIMELINE else _write_stacks
        found = write(request, packed_out)
    for remark in remarks(found, request.plan):
        tell(f"note: {remark}")
    tell_written(request.output, f"{found.samples:,} samples")
    return INTERRUPTED if found.interrupted else OK


def _shape(format: str) -> tuple[bool, str]:
    """Return whether a format is text, and what its names end in."""
    from profiles.cpu.format import CODE_FORMATS

    if format == TIMELINE:
        return True, ".trace.json"
    chosen = CODE_FORMATS.load(format)
    return chosen.is_text, chosen.suffix


def _write_stacks(request: CodeProfileRequest, out: BinaryIO) -> Sampled:
    from profiles.cpu.format import CODE_FORMATS, Samples
    from profiles.cpu.stacks import read_stacks

    found = _sample(request, RAW)
    stacks = read_stacks(found.text.decode("utf-8", "replace"))
    samples = Samples(title_of(request.target), stacks, 1_000_000_000 // request.plan.rate_hz)
    CODE_FORMATS.load(request.format)().write(samples, out)
    return found


def _write_timeline(request: CodeProfileRequest, out: BinaryIO) -> Sampled:
    from profiles.cpu.timeline import SamplingTimeline

    with SamplingTimeline(out, request.target, title_of(request.target)) as timeline:
        found = _sample(request, TIMED, timeline.follow)
        timeline.draw(found, request.plan)
    for remark in timeline.remarks:
        tell(f"note: {remark}")
    return found


def _sample(request: CodeProfileRequest, written: str, between: Callable[[], None] = lambda: None) -> Sampled:
    plan, target = request.plan, request.target
    if target.pid is not None:
        sys.stderr.write(f"sampling {target} at {plan.rate_hz} Hz for {plan.duration_s} s; ctrl+c ends it earlier\n")
    return sampled(plan, target, written, Meanwhile(between, _tell))


def _tell(said: bytes) -> None:
    """Pass on what a command says: stdout is for the profile."""
    sys.stderr.write(said.decode("utf-8", "replace"))
    sys.stderr.flush()


def title_of(target: CodeTarget) -> str:
    """Return what a target is called in its profile; arguments of commands stay out of it."""
    from profiles.cpu.facts import command_of
    from profiles.cpu.stacks import program

    if target.pid is None:
        return program(" ".join(target.command))
    return f"{program(command_of(target.pid))} [process {target.pid}]"

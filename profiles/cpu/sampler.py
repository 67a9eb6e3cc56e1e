"""Runs py-spy: what it samples comes through a pipe, and it is ended by SIGINT, which makes it write.

Neither it nor what it starts shares our process group: ctrl+c reaches us, and we end them in order. A guard does when
we no longer can.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from probes.readiness import readable
from profiles.cpu.failures import Ended
from profiles.cpu.guard import Guard
from profiles.cpu.overheard import ALL, Overheard
from profiles.cpu.plan import CodeTarget, SamplingPlan

SLACK_S = 2.0
"""How much longer than asked py-spy may sample before it is told to end: when it falls behind it counts on."""
GRACE_S = 5.0
"""How long a command may take to end once it was told to, and py-spy to write."""
_TICK_S = 0.05
_PIECE_BYTES, _MOST_PIECES = 1 << 16, 16
_COUNTED = re.compile(rb"Samples: (\d+) Errors: (\d+)")
_STATUS, _ERRORS = (b"py-spy> ",), (b"Error: ", b"Permission Denied")
_BACKTRACES = ("RUST_BACKTRACE", "RUST_LIB_BACKTRACE")


@dataclass(frozen=True, slots=True)
class Sampled:
    """What came of a run: the bytes that py-spy wrote, and its counts.

    `began_ns` is when py-spy was started, `written_ns` when its first byte came, both of `time.perf_counter_ns`.
    """

    ended: Ended
    text: bytes
    samples: int
    errors: int
    fell_behind: bool
    interrupted: bool
    began_ns: int
    written_ns: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run is told from outside: the program, what to do meanwhile, and where to say what the target says."""

    pyspy: str
    between: Callable[[], None] = lambda: None
    tell: Callable[[bytes], None] = lambda said: None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)


def sample(plan: SamplingPlan, target: CodeTarget, written: str, around: Surroundings) -> Sampled:
    """Sample a target to the end of the plan, of the target, or to ctrl+c; return what came of it."""
    run = _Run(plan, target, written, around)
    try:
        return run.to_its_end()
    finally:
        run.close()


class _Run:
    """One run of py-spy."""

    def __init__(self, plan: SamplingPlan, target: CodeTarget, written: str, around: Surroundings) -> None:
        self._around = around
        self._interrupted = False
        self._written_ns = 0
        self._written = bytearray()
        self._began_ns = time.perf_counter_ns()
        self._process, self._samples = _started(plan, target, written, around)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._out, self._err = self._process.stdout.fileno(), self._process.stderr.fileno()
        self._open = [self._samples, self._out, self._err]
        for descriptor in self._open:
            os.set_blocking(descriptor, False)
        shares = target.pid is None
        self._said = Overheard(_STATUS if shares else ALL, around.tell)
        self._failed = Overheard(_ERRORS if shares else ALL, around.tell, to_the_end=True)
        self._ending = _Ending(self._process, plan, target)
        self._guard = Guard(self._process.pid, GRACE_S)

    def to_its_end(self) -> Sampled:
        """Follow py-spy until it ends. A second ctrl+c gives it up."""
        while self._process.poll() is None:
            try:
                self._turn()
            except KeyboardInterrupt:
                if self._interrupted:
                    raise
                self._interrupted = True
                self._ending.hurry()
        # Not to the end of the pipes: what the command has started may hold them open for ever.
        self._hear()
        return self._sampled()

    def close(self) -> None:
        """Let go of the pipes, and of py-spy if it still runs."""
        if self._process.poll() is None:
            kill_group(self._process)
        self._guard.close()
        self._process.wait()
        os.close(self._samples)
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    def _turn(self) -> None:
        readable(self._open, _TICK_S)
        self._hear()
        self._around.between()
        self._ending.look()

    def _hear(self) -> None:
        """Take in what the pipes hold now, or a good part of what comes without end."""
        takes = {self._samples: self._take_samples, self._out: self._said.take, self._err: self._failed.take}
        for descriptor in (*self._open,):
            try:
                for _ in range(_MOST_PIECES):
                    piece = os.read(descriptor, _PIECE_BYTES)
                    if not piece:
                        self._open.remove(descriptor)
                        break
                    takes[descriptor](piece)
            except BlockingIOError:
                pass

    def _take_samples(self, piece: bytes) -> None:
        self._written_ns = self._written_ns or time.perf_counter_ns()
        self._written += piece

    def _sampled(self) -> Sampled:
        code = self._process.returncode
        for stream in (self._said, self._failed):
            stream.close(succeeded=code == 0)
        counted = _COUNTED.search(self._said.own)
        return Sampled(
            ended=Ended(code, self._failed.own.decode("utf-8", "replace")),
            text=bytes(self._written),
            samples=int(counted[1]) if counted else 0,
            errors=int(counted[2]) if counted else 0,
            fell_behind=b"behind in sampling" in self._said.own,
            interrupted=self._interrupted,
            began_ns=self._began_ns,
            written_ns=self._written_ns or time.perf_counter_ns(),
        )


class _Ending:
    """When and how a run is brought to its end: a command first, then py-spy, at last by force."""

    def __init__(self, process: subprocess.Popen[bytes], plan: SamplingPlan, target: CodeTarget) -> None:
        self._process = process
        is_of_command = target.pid is None
        slack_s = 0.0 if is_of_command else SLACK_S
        self._due_s = None if plan.duration_s is None else time.monotonic() + plan.duration_s + slack_s
        self._command_signal = signal.SIGTERM
        interrupt = lambda: process.send_signal(signal.SIGINT)  # noqa: E731 - SIGTERM would lose what it sampled
        self._steps = [self._end_command] * is_of_command + [interrupt, lambda: kill_group(process)]

    def hurry(self) -> None:
        """Begin to end now; a command hears of the ctrl+c that asked for it."""
        self._due_s = time.monotonic()
        self._command_signal = signal.SIGINT

    def look(self) -> None:
        """Take the next step when it is due."""
        if self._due_s is not None and time.monotonic() >= self._due_s and self._steps:
            self._steps.pop(0)()
            self._due_s = time.monotonic() + GRACE_S

    def _end_command(self) -> None:
        """End it in order: py-spy would kill it, and whatever it has started would live on."""
        for child in children_of(self._process.pid):
            try:
                os.kill(child, self._command_signal)
            except ProcessLookupError:
                pass


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End py-spy and a command that it started by force; they are a group of their own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def children_of(pid: int) -> list[int]:
    """Return the children of a process; none where that cannot be known."""
    try:
        lists = [path.read_text(encoding="ascii") for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    return [int(child) for text in lists for child in text.split()]


def _started(
    plan: SamplingPlan, target: CodeTarget, written: str, around: Surroundings
) -> tuple[subprocess.Popen[bytes], int]:
    """Start py-spy; return it, and the descriptor that samples can be read from."""
    reader, writer = os.pipe()
    try:
        process = subprocess.Popen(
            [around.pyspy, "record", *_arguments(plan, target, written, writer)],
            pass_fds=(writer,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={name: value for name, value in around.environment.items() if name not in _BACKTRACES},
            process_group=0,
        )
    except BaseException:
        os.close(reader)
        raise
    finally:
        os.close(writer)
    return process, reader


def _arguments(plan: SamplingPlan, target: CodeTarget, written: str, descriptor: int) -> Sequence[str]:
    """Return the command line; a command is sampled to its end, which comes when the plan says."""
    asked = plan if target.pid is not None else replace(plan, duration_s=None)
    return [*asked.arguments(written, descriptor), *target.words]

"""One side of a comparison: a process of its own that measures one subject, here or with another interpreter."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

Json = dict[str, Any]

_START = """
import importlib.util, sys
folder = sys.argv[1]
start = folder + "/__init__.py"
spec = importlib.util.spec_from_file_location("cache_core", start, submodule_search_locations=[folder])
package = importlib.util.module_from_spec(spec)
sys.modules["cache_core"] = package
spec.loader.exec_module(package)
from cache_core.bench.worker import main
main()
"""
"""Loads this package alone into another interpreter: none of what is installed beside it gets on that one's path."""


_START_SECONDS = 120.0
"""How long a worker may take to say hello: a peer imports torch, perhaps from a cold disk."""

_END_SECONDS = 1.0
"""How long a worker that has closed its output may take to end."""

_LARGEST_ANSWER_BYTES = 2**26
_SHOWN_CHARACTERS = 80


class SideError(Exception):
    """A side cannot be started or has failed; says which one and what it said last."""


@dataclass(frozen=True, slots=True)
class Peer:
    """Another engine's interpreter, as the user names it, and a folder that it imports from first."""

    name: str
    python: str
    folder: str | None = None

    @classmethod
    def parse(cls, text: str) -> Peer:
        """Read NAME=PYTHON or NAME=PYTHON:FOLDER. Raises ValueError."""
        name, equals, place = text.partition("=")
        python, _, folder = place.partition(":")
        if not (name and equals and python):
            raise ValueError(f"{text!r} is no peer; write NAME=PYTHON, or NAME=PYTHON:FOLDER for an unpacked wheel")
        return cls(name, python, folder or None)


class Side:
    """A worker process. Close it, or use it in a `with` block."""

    def __init__(
        self, name: str, subject: str, peer: Peer | None = None, start_seconds: float = _START_SECONDS
    ) -> None:
        """Start a worker for a subject, with a peer's interpreter or with ours, and hear what it is.

        Raises SideError, also when it has not said so after `start_seconds`.
        """
        self.name = name
        self._peer = peer
        self._heard = bytearray()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        python = sys.executable if peer is None else peer.python
        command = (python, "-c", _START, str(Path(__file__).parent.parent), subject)
        environment = {**os.environ, "PYTHONSAFEPATH": "1"}
        if peer is not None and peer.folder is not None:
            environment["PYTHONPATH"] = peer.folder
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=environment,
            )
        except OSError as error:
            self._errors.close()
            raise SideError(f"{name}: {python} cannot be run: {error.strerror}; name a Python interpreter") from None
        try:
            self.about = self._hello(start_seconds)
        except SideError as error:
            self.close()
            raise SideError(f"{error}{self._advice()}") from None

    def __enter__(self) -> Side:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def process_id(self) -> int:
        """The worker's process."""
        return self._process.pid

    def ask(self, do: str, **arguments: object) -> Json:
        """Have the worker do something and return its answer. Raises SideError."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"do": do, **arguments}).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise SideError(f"{self.name}: {self._last_words()}") from None
        return self._answer(self._line())

    def close(self) -> None:
        """End the worker."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.kill()
        self._process.wait()
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        self._process.stdout.close()
        self._errors.close()

    def _hello(self, seconds: float) -> Json:
        line = self._line(time.monotonic() + seconds)
        if line is None:
            raise SideError(f"{self.name}: it gave no answer within {seconds:g} s")
        about = self._answer(line)
        if "cache" not in about:
            raise self._no_answer(line)
        return about

    def _line(self, until: float | None = None) -> bytes | None:
        """Return the next line with its end, or what came before the output ended; None if it is not there in time.

        What is no line after _LARGEST_ANSWER_BYTES is returned as it is.
        """
        assert self._process.stdout is not None
        output = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(output, select.POLLIN)
        searched = 0
        while not (end := self._heard.find(b"\n", searched) + 1):
            searched = end = len(self._heard)
            if end > _LARGEST_ANSWER_BYTES:
                break
            if not poll.poll(None if until is None else max(0.0, until - time.monotonic()) * 1e3):
                return None
            piece = os.read(output, 2**16)
            if not piece:
                break
            self._heard += piece
        line = bytes(self._heard[:end])
        del self._heard[:end]
        return line

    def _answer(self, line: bytes | None) -> Json:
        if not line:
            raise SideError(f"{self.name}: {self._last_words()}")
        try:
            answer = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            raise self._no_answer(line) from None
        if not isinstance(answer, dict):
            raise self._no_answer(line)
        if "error" in answer:
            raise SideError(f"{self.name}: {answer['error']}")
        return answer

    def _no_answer(self, line: bytes) -> SideError:
        said = line.decode("utf-8", "replace").rstrip("\r\n")
        more = "..." if len(said) > _SHOWN_CHARACTERS else ""
        return SideError(f"{self.name}: it said {said[:_SHOWN_CHARACTERS]!r}{more}, which is no answer")

    def _advice(self) -> str:
        if self._peer is None:
            return ""
        return (
            f". The peer's interpreter, {self._peer.python}, needs torch, numpy, what is named above as missing, and "
            "sglang 0.5.20 or 0.5.23: `pip install --no-deps sglang==0.5.23`, or an unpacked wheel as "
            "NAME=PYTHON:FOLDER"
        )

    def _last_words(self) -> str:
        """Return how the worker ended and what it wrote to stderr last."""
        try:
            end = f"ended with {self._process.wait(_END_SECONDS)}"
        except subprocess.TimeoutExpired:
            end = "closed its output and went on"
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines()[-5:]
        return f"the worker {end}: " + (" | ".join(said) or "it said nothing")

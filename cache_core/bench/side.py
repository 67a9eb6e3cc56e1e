"""One side of a comparison: a process of its own that measures one subject, here or with another interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
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

    def __init__(self, name: str, subject: str, peer: Peer | None = None) -> None:
        """Start a worker for a subject, with a peer's interpreter or with ours. Raises SideError."""
        self.name = name
        self._peer = peer
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
                text=True,
            )
        except OSError as error:
            self._errors.close()
            raise SideError(f"{name}: {python} cannot be run: {error.strerror}; name a Python interpreter") from None
        try:
            self.about = self._read()
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
            self._process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise SideError(f"{self.name}: {self._last_words()}") from None
        return self._read()

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

    def _read(self) -> Json:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SideError(f"{self.name}: {self._last_words()}")
        answer: Json = json.loads(line)
        if "error" in answer:
            raise SideError(f"{self.name}: {answer['error']}")
        return answer

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
        code = self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines()[-5:]
        return f"the worker ended with {code}: " + (" | ".join(said) or "it said nothing")

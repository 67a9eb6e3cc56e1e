"""The test's end of a peer: an engine's real classes in a process of their own, one process for each cache."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from cache_core.bench.side import Peer
from tests.support.peers import named_peers

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
TIMEOUT_S = 200.0


@dataclass(frozen=True, slots=True)
class Engine:
    """A version of an engine: where it is found, and the program that drives it."""

    name: str
    peer: Peer

    def __str__(self) -> str:
        return self.peer.name

    @property
    def program(self) -> str:
        """The module that drives it."""
        return f"tests.support.peer_{self.name}"

    @property
    def folders(self) -> str:
        """Where it is imported from first."""
        return self.peer.folder or ""

    @property
    def version(self) -> str:
        """Which version lies there; what the tester calls it where that is not written there."""
        folders = map(Path, filter(None, self.folders.split(os.pathsep)))
        found = [path for folder in folders for path in folder.glob(f"{self.name}-*.dist-info")]
        return found[0].name.removesuffix(".dist-info").partition("-")[2] if found else self.peer.name


def sglang_engines() -> list[Engine]:
    """Return those that RADIXTOP_PEERS names."""
    return [Engine("sglang", peer) for peer in named_peers()]


def vllm_engines() -> list[Engine]:
    """Return those that RADIXTOP_VLLM names: PYTHON:FOLDER:...,..."""
    named = [text for text in os.environ.get("RADIXTOP_VLLM", "").split(",") if text]
    return [Engine("vllm", Peer.parse(f"{_name(text)}={text}")) for text in named]


def _name(text: str) -> str:
    return Path(text.split(":")[1]).name


class PeerError(AssertionError):
    """The peer failed; says what it said."""


class PeerProcess:
    """A process that has imported an engine, for as many caches as tests want. A context manager."""

    def __init__(self, engine: Engine, folder: Path, **environment: str) -> None:
        self._socket = str(folder / "peer")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `__exit__`
        path = os.pathsep.join(filter(None, (engine.folders, str(ROOT))))
        self._process = subprocess.Popen(
            [engine.peer.python, "-P", "-m", engine.program, self._socket],
            env={**os.environ, "PYTHONPATH": path, "RADIXTOP_PROBE": "", **environment},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
        )  # fmt: skip
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PeerError(self._said())
        self.about: Json = json.loads(line)

    def __enter__(self) -> PeerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def begin(self, **order: object) -> Life:
        """Have a cache made in a process of its own."""
        return Life(self._socket, order)

    def _said(self) -> str:
        self._process.wait()
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace")[-3000:]


PeerOf = Callable[[Engine], PeerProcess]


class Life:
    """A cache of an engine and its process. A context manager."""

    def __init__(self, address: str, order: dict[str, object]) -> None:
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.settimeout(TIMEOUT_S)
        self._connection.connect(address)
        self._lines = self._connection.makefile("rw", encoding="utf-8")
        self._process_id = int(self.ask("begin", **order)["process_id"])

    def __enter__(self) -> Life:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._lines.close()
        except BrokenPipeError:
            pass  # it was killed
        self._connection.close()

    def ask(self, do: str, **arguments: object) -> Json:
        """Have it do something and return its answer. Raises PeerError."""
        self._lines.write(json.dumps({"do": do, **arguments}) + "\n")
        self._lines.flush()
        answer: Json = json.loads(self._lines.readline())
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer

    def kill(self) -> None:
        """End it as a crash does."""
        os.kill(self._process_id, signal.SIGKILL)

"""A process that is asked to end cleans up as it does at ctrl+c."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from radixtop import cli
from radixtop.termination import TERMINATING, answered, held_back, terminated_in_order
from tests.support.hostile import write_hostile


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Signals act as in a fresh process, whatever was set before, and afterwards as before."""
    fresh = {signal.SIGINT: signal.default_int_handler, **dict.fromkeys(TERMINATING, signal.SIG_DFL)}
    before = {number: signal.signal(number, handler) for number, handler in fresh.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def export_and_get(number: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Export a recording, with a signal in the middle, over a file that is there, and return the exit code."""
    write_hostile(folder / "run.rtrec", 1)
    (folder / "out.svg").write_text("before")
    monkeypatch.setattr("profiles.exporter.export", lambda *_: os.kill(os.getpid(), number))
    return cli.main(["profile", "flame", str(folder / "run.rtrec"), "-o", str(folder / "out.svg")])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_an_export_that_is_ended_leaves_what_was_there(
    number: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert export_and_get(number, tmp_path, monkeypatch) == code
    assert (tmp_path / "out.svg").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.svg", "run.rtrec"]


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    assert export_and_get(signal.SIGHUP, tmp_path, monkeypatch) == 0
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.fixture
def another_thread() -> Iterator[None]:
    """A thread to which the kernel may give signals as well."""
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    yield
    over.set()
    thread.join()


@pytest.mark.usefixtures("another_thread")
@pytest.mark.parametrize("number", [signal.SIGINT, *TERMINATING])
def test_a_signal_that_is_held_back_comes_afterwards(number: int) -> None:
    seen = []
    with pytest.raises(KeyboardInterrupt), terminated_in_order(), held_back():
        try:
            os.kill(os.getpid(), number)
            seen.append("whole")
        except KeyboardInterrupt:
            seen.append("swallowed")
    assert seen == ["whole"]


def test_afterwards_signals_do_what_they_did() -> None:
    assert cli.main(["--version"]) == 0
    assert [signal.getsignal(number) for number in TERMINATING] == [signal.SIG_DFL] * len(TERMINATING)


def test_answers_end_with_what_they_are_for() -> None:
    heard: list[int] = []
    with answered({signal.SIGTERM: lambda number, _: heard.append(number)}):
        signal.raise_signal(signal.SIGTERM)
    assert heard == [signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL

"""A process that is asked to end cleans up as it does at ctrl+c."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from radixtop import cli
from radixtop.termination import TERMINATING, held_back, terminated_in_order
from tests.support.hostile import write_hostile


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Whatever a test sets is as before after it."""
    before = {number: signal.getsignal(number) for number in TERMINATING}
    yield
    for number, taken in before.items():
        signal.signal(number, taken)


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

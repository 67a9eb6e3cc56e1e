"""The tour is the first thing a newcomer tries: it shows every step, and needs nothing but Python."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cache_core.__main__ import main

STEPS = ("1. INSERT", "2. MATCH", "SPLIT", "3. LOCK", "4. EVICT", "5. SLIDING WINDOW", "6. BRANCH", "EVICT 30 tokens")


@pytest.mark.one_backend("no tree")
def test_the_tour_goes_through_its_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    said = capsys.readouterr().out
    places = [said.index(step) for step in STEPS]
    assert places == sorted(places)


@pytest.mark.one_backend("no tree")
def test_the_tour_prints_the_fork_with_its_lock(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    fork = "0..7  F  first 100  hits 2 lock 1\n  7..12  F  first 107  hits 1\n  7..12  F  first 200  hits 1\n"
    assert fork in capsys.readouterr().out


@pytest.mark.one_backend("process")
def test_the_tour_needs_the_standard_library_alone() -> None:
    ran = subprocess.run([sys.executable, "-S", "-m", "cache_core"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")

"""The dashboard in a real terminal: what tmux shows of every view is what the goldens say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from radixtop.view import VIEW_KEYS
from tests.support.tmux import Tmux

GOLDENS = Path(__file__).parent / "goldens" / "screens"
OWN_LINES = 2
"""Lines at the top that say which source it is, and how often it is looked at."""


@pytest.mark.needs("tmux")
def test_every_view_comes_out_as_it_was_drawn() -> None:
    """After keys and after a change of the size; then the terminal is as it was."""
    with Tmux([sys.executable, "-m", "tests.support.fake_dashboard"], (80, 24)) as tmux:
        for columns, rows in ((80, 24), (120, 40)):
            tmux.resize(columns, rows)
            for view, key in VIEW_KEYS.items():
                tmux.press(key)
                golden = (GOLDENS / f"{view}-{columns}x{rows}.txt").read_text(encoding="utf-8")
                tmux.wait_for(golden.split("\n")[OWN_LINES:-1], skip=OWN_LINES)
        tmux.press("q")
        tmux.wait_for_text("exit 0")

"""What is written to a terminal: the same screen as before, for fewer bytes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from radixtop.render.repaint import Shown
from tests.support.cells import Cells

HEAD = "\x1b[38;2;108;182;255;48;2;16;20;27m"

styles = st.lists(
    st.sampled_from(["1", "2", "4", "7", "31", "97", "38;2;1;2;3", "38;5;9", "48;2;16;20;27", "48;5;4", "104"]),
    max_size=4,
    unique=True,
).map(";".join)
runs = st.tuples(
    st.integers(1, 3),
    st.integers(1, 8),
    styles,
    st.sampled_from([" ", "  ", "ab", "abc", "b", "⣿⡇", "│", "語", "e\u0301x"]),
)


def written(run: tuple[int, int, str, str]) -> str:
    """Return a run as Textual writes it."""
    row, column, style, text = run
    return f"\x1b[{row};{column}H" + (f"\x1b[{style}m{text}\x1b[0m" if style else text)


@given(st.lists(st.lists(runs, max_size=8), max_size=4))
@settings(max_examples=150)
def test_a_terminal_shows_the_same(frames: list[list[tuple[int, int, str, str]]]) -> None:
    shown, whole, least = Shown(), Cells(), Cells()
    for frame in frames:
        update = "\n".join(written(run) for run in frame)
        whole.write(update)
        least.write(shown.least(update))
        assert least.looks() == whole.looks()
        assert least.cursor == whole.cursor or not frame


def test_what_the_terminal_shows_is_not_written_again() -> None:
    shown = Shown()
    update = f"\x1b[1;1H{HEAD}hit rate\x1b[0m{HEAD} 85%\x1b[0m\x1b[9;1H"
    assert shown.least(update) == f"\x1b[1;1H{HEAD}hit rate 85%\x1b[m\x1b[9;1H"
    assert shown.least(update) == "\x1b[9;1H"
    assert shown.least(update.replace("85", "86")) == f"\x1b[1;9H{HEAD} 86%\x1b[m\x1b[9;1H"


def test_other_sequences_come_through_as_they_are() -> None:
    update = "\x1b[?2026h\x1b]8;id=1;http://x\x1b\\a\x1b]8;;\x1b\\\x1b[?25l"
    assert Shown().least(f"\x1b[1;1H{update}\x1b[1;2H") == (
        "\x1b[?2026h\x1b]8;id=1;http://x\x1b\\\x1b[1;1Ha\x1b]8;;\x1b\\\x1b[?25l"
    )

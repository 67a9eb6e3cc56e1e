"""Signs in ASCII: as wide as they were, and still different where they mean different things."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from radixtop.render.glyphs import ascii_of


@settings(max_examples=50)
@given(st.text().filter(str.isprintable))
def test_any_text_becomes_ascii_of_the_same_width(text: str) -> None:
    written = ascii_of(text)
    assert written.isascii()
    assert len(written) == cell_len(text)


def test_what_is_ascii_already_stays() -> None:
    assert ascii_of("hit rate 85.7%") == "hit rate 85.7%"


@pytest.mark.parametrize(
    "signs",
    ["█▓▒·", "▾▸·", "FSMfsm↓†", "◇◆×", "●◌▲■✕", "▁▅", "▏▌█", "⠀⣀⣤⣶⣿", "⠉⠒⣀", "▏╱ "],
    ids=["pools", "tree", "places", "branching", "states", "levels", "gauge", "area", "curve", "frames"],
)  # fmt: skip
def test_signs_that_meet_stay_different(signs: str) -> None:
    assert len({ascii_of(sign) for sign in signs}) == len(signs)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("╭─ hit rate ─╮", "+- hit rate -+"),
        ("│├╴└╴┤┬", "|+-+-++"),
        ("café naïve", "cafe naive"),
        ("系统", "????"),
        ("e\N{COMBINING ACUTE ACCENT}", "e"),
        ("12 µs …", "12 us ~"),
    ],
)
def test_text_and_frames_are_written_as_one_would(text: str, written: str) -> None:
    assert ascii_of(text) == written

"""Words that flow: worked examples, and that they keep to their room."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from radixtop.render.flow import broken, flow, pack
from radixtop.render.lines import Line, plain, width_of


def test_words_break_between_words_and_end_where_there_is_no_room() -> None:
    words = (("evictions take ", "text"), ("3.1 ms", "value"), (" of each second", "text"))
    assert plain(flow(words, 16, 3)) == ["evictions take", "3.1 ms of each", "second"]
    assert plain(flow(words, 16, 2)) == ["evictions take", "3.1 ms of each …"]
    assert plain(flow(words, 80, 2)) == ["evictions take 3.1 ms of each second"]


@given(st.text(st.sampled_from("ab 語"), max_size=60), st.integers(2, 30), st.integers(1, 4))
def test_flowing_words_keep_to_their_room(text: str, width: int, rows: int) -> None:
    lines = flow(((text, "text"),), width, rows)
    assert len(lines) <= rows
    assert any(cell_len(word) > width for word in text.split()) or all(width_of(line) <= width for line in lines)


def test_a_full_stop_stays_with_its_word() -> None:
    words = (("it is ", "text"), ("cheap", "good"), (".  So", "text"))
    assert plain(flow(words, 11, 2)) == ["it is", "cheap.  So"]
    assert plain(flow(words, 12, 2)) == ["it is cheap.", "So"]
    assert width_of(flow(words, 12, 2)[0]) == 12


def test_text_that_may_take_what_it_takes_loses_no_word() -> None:
    assert plain(broken((("one two three four", "text"),), 9)) == ["one two", "three", "four"]


def test_pieces_are_packed_whole_and_left_out_where_there_is_no_room() -> None:
    pieces: list[Line] = [(("hits 12", "text"),), (("own 4", "text"),), (("locks 123456", "text"),)]
    assert plain(pack(pieces, 14, 2)) == ["hits 12  own 4", "locks 123456"]
    assert plain(pack(pieces, 14, 1)) == ["hits 12  own 4"]
    assert plain(pack(pieces, 8, 3)) == ["hits 12", "own 4", "locks 1…"]

"""Labels: fit for every format, and nothing in them that is private or that changes from run to run."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from profiles.labels import LONGEST_TEXT, clean, join, label
from tests.support.exporting import forest_text
from tests.support.forests import flat_forest

KEYS = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(st.characters())


@given(TEXTS, KEYS)
@example("main;worker 12", 0)
@example("two\r\nlines", -1)
@example("\x00\x1b[31m", 1)
@example("\ud800", 1)
@example("x" * 500, 1)
def test_a_label_is_one_clean_line_that_ends_in_no_count(text: str, key: int) -> None:
    made = label(text, key)
    assert ";" not in made
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in made)
    assert not re.search(r"\s[\d.]+$", made)
    assert not re.search(r"_\[[kwij]\]$", made)
    assert re.fullmatch(r".{1,64} ·[0-9a-f]{6}", made)
    assert made == made.strip()


@given(st.lists(st.tuples(TEXTS, st.integers(1, 10**9)), min_size=1, max_size=5))
def test_every_line_of_a_collapsed_export_reads_back_as_one_stack(pairs: list[tuple[str, int]]) -> None:
    forest = flat_forest([text for text, _ in pairs], [own for _, own in pairs])
    lines = forest_text(forest, "collapsed").splitlines()
    parsed = [
        re.fullmatch(r"([^;]*\D) (\d+)", line) or re.fullmatch(r"([^;]*·[0-9a-f]{6}) (\d+)", line) for line in lines
    ]
    assert all(parsed)
    assert sum(int(match[2]) for match in parsed if match) == sum(own for _, own in pairs)


def test_separators_and_line_ends_are_replaced_by_look_alikes() -> None:
    assert clean(" a;b\nc\td ") == "a；b⏎c d"


def test_a_text_without_anything_visible_is_called_tokens() -> None:
    assert clean("\x07 \n".replace("\n", "")) == "tokens"


def test_a_long_text_keeps_both_ends() -> None:
    made = clean("begin " + "x" * 200 + " end")
    assert (made[:5], made[-3:], len(made)) == ("begin", "end", LONGEST_TEXT)


def test_several_names_are_joined_without_a_count() -> None:
    assert join(["a"]) == "a"
    assert join(["a", "b"]) == "a + b"
    assert join(["a", "b", "c", "d"]) == "a … d"

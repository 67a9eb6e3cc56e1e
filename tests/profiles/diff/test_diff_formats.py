"""The contract of every format of differences, and what each of them promises on top."""

from __future__ import annotations

import gzip
import json
import re
from io import BytesIO
from pathlib import Path

import pytest

from cache_core.registry import UnknownNameError
from profiles.diff.difference import Difference, compare
from profiles.diff.format import DIFF_FORMATS, DiffOptions, write_difference
from profiles.growth.forest_builder import grow
from tests.support.forests import small_difference
from tests.support.golden import assert_golden
from tests.support.pages import page_lines
from tests.support.tree_script import Script

GOLDENS = Path(__file__).parent / "goldens"
SHRUNK = "question 1"


def written(format: str, difference: Difference, **options: object) -> bytes:
    out = BytesIO()
    write_difference(difference, format, DiffOptions(**options), out)  # type: ignore[arg-type]
    return out.getvalue()


def text_of(format: str, difference: Difference, **options: object) -> str:
    """What a format says, as text: of a page its rows, of a packed file its bytes."""
    raw = written(format, difference, **options)
    raw = gzip.decompress(raw) if DIFF_FORMATS.load(format).suffix.endswith(".gz") else raw
    text = raw.decode("utf-8", "replace" if not DIFF_FORMATS.load(format).is_text else "strict")
    return page_lines(text) if format == "html" else text


TEXTS = [format for format in DIFF_FORMATS if DIFF_FORMATS.load(format).is_text]


@pytest.mark.parametrize("format", DIFF_FORMATS)
class TestContract:
    def test_what_changed_is_in_it_with_its_stack_and_no_count_in_its_name(self, format: str) -> None:
        text = text_of(format, small_difference())
        assert re.search(rf"{SHRUNK} ·[0-9a-f]{{6}}", text)
        assert not re.search(r"sss|ddd|qqq", text)

    def test_two_empty_runs_do_not_differ(self, format: str) -> None:
        nothing = grow([])
        assert not re.search("·[0-9a-f]{6}", text_of(format, compare(nothing, nothing)))

    def test_a_weight_that_is_not_known_of_both_is_refused(self, format: str) -> None:
        with pytest.raises(UnknownNameError, match="choose from: tokens"):
            written(format, small_difference(), weight="luck")

    def test_a_weight_chooses_what_is_shown(self, format: str) -> None:
        assert text_of(format, small_difference(), weight="evicted") != text_of(format, small_difference())


@pytest.mark.parametrize("format", TEXTS)
def test_a_small_difference_is_the_golden_file(format: str) -> None:
    suffix = DIFF_FORMATS.load(format).suffix
    assert_golden(text_of(format, small_difference()).rstrip("\n"), GOLDENS / f"small_diff{suffix}")


class TestDiffFolded:
    def test_every_line_has_both_counts_and_they_add_up(self) -> None:
        difference = small_difference()
        lines = text_of("difffolded", difference).splitlines()
        counts = [re.fullmatch(r"(.*·[0-9a-f]{6}) (\d+) (\d+)", line) for line in lines]
        assert all(counts)
        balance = difference.balance("tokens")
        assert sum(int(found[2]) for found in counts if found) == balance.before
        assert sum(int(found[3]) for found in counts if found) == balance.after


class TestTable:
    def test_it_is_plain_unless_colours_are_asked_for(self) -> None:
        plain = text_of("table", small_difference())
        coloured = text_of("table", small_difference(), colour=True)
        assert "\x1b" not in plain
        assert re.sub(r"\x1b\[\d+m", "", coloured) == plain
        assert re.search(r"\x1b\[34m +-3 ", coloured)
        assert re.search(r"\x1b\[31m +\+6 ", coloured)

    def test_the_largest_change_comes_first_and_the_rest_is_counted(self) -> None:
        before, after = Script(), Script()
        for script, texts in ((before, ("same", "bbbbb", "cc")), (after, ("same", "aaaaaaa", "d"))):
            for text in texts:
                script.insert(text)
        difference = compare(grow(before.records), grow(after.records))
        lines = text_of("table", difference, top=2).splitlines()
        assert [line.split()[0] for line in lines[-3:]] == ["+7", "-5", "..."]
        assert lines[-1] == "... and 2 more; --top 4 shows all"

    def test_lines_fit_the_terminal(self) -> None:
        lines = text_of("table", small_difference(), width=60).splitlines()
        assert max(map(len, lines[4:])) <= 60
        assert lines[-2].endswith("new     document 3 ·4666cc")


class TestJson:
    def test_rows_add_up_to_the_balance(self) -> None:
        document = json.loads(text_of("json", small_difference()))
        for weight, balance in document["balance"].items():
            owns = [row["own"].get(weight, [0, 0]) for row in document["rows"]]
            assert [sum(side) for side in zip(*owns, strict=True)] == [balance["before"], balance["after"]]
            assert balance["kept"] + balance["shrunk"] == balance["before"]
            assert balance["kept"] + balance["grown"] == balance["after"]

    def test_what_was_never_evicted_has_not_come_back(self) -> None:
        assert json.loads(text_of("json", small_difference()))["returned_tokens"] == 0

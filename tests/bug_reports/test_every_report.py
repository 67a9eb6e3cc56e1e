"""Every report, and every worked example, has a test that bears its number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_backend("no tree")

TESTS = Path(__file__).parent.parent
# fmt: off
KINDS = (2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 22, 24, 26, 27, 28, 30,
         33, 34, 35, 36, 38, 39, 40, 44, 45, 46, 48)
# fmt: on
REPORTS = [*[f"B{number:02}" for number in KINDS], *[f"M{number}" for number in range(1, 10)]]
WORKED_EXAMPLES = [*[f"A{number}" for number in range(1, 18)], *[f"B{number}" for number in range(1, 16)]]
LISTED = dict(
    re.findall(r"^\| ([BM]\d+) \| .* \| (.*) \|$", (TESTS / "bug_reports" / "README.md").read_text(), re.MULTILINE)
)
"""Number -> the files that the README names."""


def numbers_in(path: Path) -> set[str]:
    """Return the numbers that the tests of a file bear."""
    return {name.upper() for name in re.findall(r"^ *def test_([abm]\d+)_", path.read_text(), re.MULTILINE)}


def test_the_list_has_every_report_and_no_other() -> None:
    assert list(LISTED) == REPORTS
    assert len(KINDS) == 33


@pytest.mark.parametrize("number", REPORTS)
def test_each_report_is_tested_where_the_list_says_and_nowhere_else(number: str) -> None:
    files = sorted(path.name for path in (TESTS / "bug_reports").glob("test_*.py") if number in numbers_in(path))
    assert files
    assert sorted(re.findall(r"`(.+?)`", LISTED[number])) == files


@pytest.mark.parametrize("number", WORKED_EXAMPLES)
def test_each_worked_example_is_a_test(number: str) -> None:
    assert any(number in numbers_in(path) for path in (TESTS / "worked_examples").glob("test_*.py"))

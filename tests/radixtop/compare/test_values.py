"""What values of settings look like on the command line, and what is said of those that are none."""

from __future__ import annotations

from typing import Literal

import pytest

from radixtop.compare.kinds import parser_of
from radixtop.compare.row import Row
from radixtop.compare.sizes import Measure, slots_of
from radixtop.compare.words import memory
from radixtop.errors import UsageError

MEASURE = Measure(slots=1000, full_slots=4000, slot_bytes=128 * 1024.0)


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("2500", 2500), ("100k", 100_000), ("1.5M", 1_500_000), ("2x", 2000), ("half", 500), ("0.25x", 250),
        ("25%", 1000), ("20GiB", 163_840), ("1GB", 7629), ("0.1x", 100),
    ],
)  # fmt: skip
def test_sizes_are_slots_multiples_shares_and_memory(text: str, slots: int) -> None:
    assert slots_of("swa_slots", text, MEASURE) == slots


@pytest.mark.parametrize("text", ["", "many", "-5", "1e9", "2 x", "10s", "1.2.3k", "9" * 5000])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no size"):
        slots_of("full_slots", text, MEASURE)


@pytest.mark.parametrize(("text", "hint"), [("2x", "has no multiple"), ("5%", "has no part"), ("1GiB", "--preset")])
def test_a_size_of_what_is_not_known_says_what_is_missing(text: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        slots_of("full_slots", text, Measure(None, None, None))
    assert hint in refused.value.hint


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        (int, "16", 16), (int | None, "none", None), (int | None, "-1", -1), (float, "2.5", 2.5), (bool, "on", True),
        (bool, "OFF", False), (str, "lru", "lru"), (str | None, "none", None), (Literal["a", "b"], "b", "b"),
        (tuple[str, ...], "full+swa", ("full", "swa")), (tuple[tuple[str, int], ...], "threshold=3+x=1",
                                                         (("threshold", 3), ("x", 1))),
    ],
)  # fmt: skip
def test_values_have_the_type_of_their_setting(annotation: object, text: str, value: object) -> None:
    assert parser_of(annotation)("key", text) == value


@pytest.mark.parametrize(
    ("annotation", "text"),
    [(int, "1.5"), (int, "٣"), (int, "9" * 5000), (float, "nan"), (float, "fast"), (bool, "maybe"),
     (Literal["a", "b"], "c"), (tuple[tuple[str, int], ...], "threshold=many")],
)  # fmt: skip
def test_values_of_another_type_are_refused(annotation: object, text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parser_of(annotation)("key", text)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("size", "shown"),
    [(None, "-"), (3 << 30, "3.00"), (5_000 << 30, "5,000.00"), (1 << 20, "0.00098"), (1 << 29, "0.5")],
)
def test_memory_below_a_gib_has_two_digits_that_tell(size: int | None, shown: str) -> None:
    assert memory(Row("", {}, {}, None, memory_bytes=size)) == shown

"""pprof files, read back by a decoder of their own."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from profiles.exporter import ExportOptions, export
from profiles.forest import TOP, Forest, Frame
from profiles.growth.forest_builder import grow
from profiles.growth.planting import forest_of
from profiles.icicle import layout
from profiles.pprof.protobuf import integer, integers, varint
from profiles.profile import ForestProfile
from tests.support.exporting import exported
from tests.support.forests import deep_forest, flat_forest, small_forest
from tests.support.golden import assert_golden
from tests.support.pprof_reader import PprofFile, read_pprof
from tests.support.timed_run import exported_records, timed_run

GOLDENS = Path(__file__).parent / "goldens"


def pprof_of(forest: Forest, weight: str = "tokens", parts: int | None = 4_000) -> PprofFile:
    out = BytesIO()
    export(ForestProfile(forest), "pprof", ExportOptions(weight, parts), out)
    return read_pprof(out.getvalue())


def test_a_small_forest_is_the_golden_text() -> None:
    assert_golden(pprof_of(small_forest()).text, GOLDENS / "small.pprof.txt")


def test_the_same_forest_gives_the_same_bytes() -> None:
    first, second = (exported(ForestProfile(small_forest()), "pprof") for _ in range(2))
    assert first == second


def test_every_weight_is_a_sample_type_and_the_chosen_one_comes_first() -> None:
    forest = small_forest()
    read = pprof_of(forest, "hits")
    assert [name for name, _ in read.sample_types] == list(forest.weights)
    assert read.default_sample_type == "hits"


def test_the_samples_of_a_weight_add_up_to_the_whole() -> None:
    for forest in (small_forest(), flat_forest([f"t {n}" for n in range(3_000)], [1] * 2_999 + [9_000])):
        read = pprof_of(forest)
        assert {weight: read.total(weight) for weight in forest.weights} == {
            weight: sum(column) for weight, column in forest.weights.items()
        }


def test_stacks_lead_from_the_leaf_to_the_top() -> None:
    icicle = layout(small_forest(), "tokens")
    stacks = {sample.stack[::-1]: sample.values[0] for sample in pprof_of(small_forest()).samples if sample.values[0]}
    assert stacks == {tuple(icicle.stack(bar)): bar.own for bar in icicle.bars if bar.own}


def test_labels_say_what_a_frame_is() -> None:
    by_leaf = {sample.stack[0].partition(" ·")[0]: dict(sample.labels) for sample in pprof_of(small_forest()).samples}
    assert by_leaf["document 2"] == {"segment": "document", "resident": "yes", "start": (8, "tokens")}
    assert by_leaf["system prompt 1"]["lost"] == "swa"
    assert by_leaf["system prompt 2"]["namespace"] == "adapter 1"
    assert by_leaf["question 1"]["resident"] == "no"


def test_the_namespace_of_one_subtree_is_not_that_of_the_next() -> None:
    samples = pprof_of(small_forest()).samples
    assert [s for s in samples if "namespace" in dict(s.labels)] == [s for s in samples if len(s.stack) > 1 and
        s.stack[-1].startswith("adapter 1")]  # fmt: skip


def test_a_name_in_brackets_has_a_system_name_so_that_pprof_leaves_it_alone() -> None:
    read = pprof_of(flat_forest(["a <v2> (b)"], [3]))
    ((name, system_name),) = read.system_names.items()
    assert name.startswith("a <v2> (b) ·")
    assert system_name == f"node:{1:016x}"


def test_a_phase_is_told_from_that_of_another_operation() -> None:
    frames = tuple(
        Frame(parent, key, text, text, 0, 0, kind="operation")
        for parent, key, text in ((TOP, 1, "match"), (0, 2, "walk"), (TOP, 3, "insert"), (2, 4, "walk"))
    )
    names = pprof_of(forest_of(frames, {"tokens": [0] * 4, "time_ns": [0, 5, 0, 7]})).system_names
    assert [*names] == ["insert", "insert walk", "match", "match walk"]


def test_what_is_small_is_one_function_without_a_count_in_its_name() -> None:
    forest = flat_forest([f"t {n}" for n in range(101)], [1] * 100 + [10_000])
    folded = pprof_of(forest, parts=100).samples[-1]
    assert folded.stack == ("(folded)",)
    assert dict(folded.labels) == {"nodes": (100, "count")}


def test_without_parts_every_frame_is_there() -> None:
    forest = flat_forest([f"t {n}" for n in range(101)], [1] * 100 + [10_000])
    assert len(pprof_of(forest, parts=None).samples) == 101


def test_an_empty_forest_is_a_profile_without_samples() -> None:
    assert pprof_of(grow([])).samples == ()
    assert [name for name, _ in pprof_of(grow([])).sample_types] == list(grow([]).weights)


def test_a_deep_forest_is_written() -> None:
    assert max(len(sample.stack) for sample in pprof_of(deep_forest(2_000), parts=None).samples) == 2_000


def test_a_profile_of_records_says_when_they_were() -> None:
    read = read_pprof(exported_records(timed_run(), "pprof"))
    assert (read.time_ns, read.duration_ns) == (1_700_000_000_000_001_000, 199_000)


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_integers_come_back(values: list[int]) -> None:
    raw = integers(1, values)
    decoded, at = [], len(raw) - sum(len(varint(value)) for value in values)
    while at < len(raw):
        size = next(n for n in range(1, 11) if raw[at + n - 1] < 0x80)
        number = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(raw[at : at + size]))
        decoded.append(number - (1 << 64) if number >> 63 else number)
        at += size
    assert decoded == values


def test_a_field_of_zero_is_left_out() -> None:
    assert integer(3, 0) == b""

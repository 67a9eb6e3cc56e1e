"""Bytes, tombstones and saved time: what a source must say for them, and that they are missing where it does not."""

from __future__ import annotations

import pytest

from cache_core.events import EngineStep, NodeAdded, Tombstoned
from probes.errors import RecordingError
from probes.mirror import Mirror
from profiles.forest import UNITS, WEIGHTS, Forest
from profiles.growth.cuts import Cuts
from profiles.growth.forest_builder import ForestBuilder, grow
from profiles.growth.live_forest import from_mirror
from profiles.prices import Prices, prices_of
from tests.support.records import added, record
from tests.support.tree_script import Script


def by_range(forest: Forest, weight: str) -> dict[tuple[int, int], int]:
    pairs = zip(forest.frames, forest.weights[weight], strict=True)
    return {(frame.start, frame.end): own for frame, own in pairs if own}


def script() -> Script:
    made = Script()
    made.insert("aaaabb")
    made.insert("aaaacc")
    made.request("aaaabbx", hit=6)
    return made


def test_bytes_are_those_of_the_components_that_are_there() -> None:
    made = script()
    made.tombstone("aaaa")
    forest = grow(made.records, ("full", "swa"), prices=Prices({"full": 10, "swa": 3}))
    assert by_range(forest, "bytes") == {(0, 4): 40, (4, 6): 26}
    assert forest.whole("bytes") == 4 * 10 + 2 * 2 * 13


def test_a_state_takes_its_size_once_however_long_what_it_stands_for() -> None:
    records = [added(1, 0, 5, live=3, content_key=1), added(2, 1, 7, start=5, live=1, content_key=2)]
    components, prices = ("full", "mamba"), Prices({"full": 10, "mamba": 1_000})
    assert by_range(grow(records, components, prices=prices), "bytes") == {(0, 5): 1_050, (5, 12): 70}
    mirror = Mirror(components)
    for each in records:
        mirror.apply(each)
    assert by_range(from_mirror(mirror, prices=prices), "bytes") == {(0, 5): 1_050, (5, 12): 70}


def test_a_state_stays_at_the_end_of_a_node_that_others_cut() -> None:
    records = [
        added(1, 0, 5, live=3, content_key=1),
        *(added(number, 0, 2, live=1, content_key=9) for number in (2,)),
    ]
    cuts = Cuts()
    builder, other = (
        ForestBuilder(("full", "mamba"), Prices({"full": 10, "mamba": 1_000}), cuts),
        ForestBuilder(cuts=cuts),
    )
    builder.apply(records[0])
    for each in (added(1, 0, 2, content_key=9), added(2, 1, 3, start=2, content_key=1)):
        other.apply(each)
    assert by_range(builder.forest(), "bytes") == {(0, 2): 20, (2, 5): 1_030}


@pytest.mark.parametrize("sizes", [{}, {"full": 10}, {"full": 10, "mamba": 1}])
def test_bytes_are_missing_when_a_component_has_no_size(sizes: dict[str, int]) -> None:
    assert "bytes" not in grow(script().records, ("full", "swa"), prices=Prices(sizes)).weights


def test_sizes_come_from_the_configuration_and_nonsense_is_none() -> None:
    told = {"full": 10, "swa": -1, "mamba": True, "x": "10", "y": 1 << 40}
    assert prices_of({"slot_bytes": told}) == Prices({"full": 10})
    assert prices_of({"slot_bytes": [1]}) == prices_of({}) == Prices()


def test_tombstoned_tokens_are_on_the_device_without_their_window() -> None:
    made = script()
    assert grow(made.records, ("full", "swa")).whole("tombstoned") == 0
    made.records.append(Tombstoned(1, made.root.children["a"].id, 1))
    assert by_range(grow(made.records, ("full", "swa")), "tombstoned") == {(0, 4): 4}


@pytest.mark.parametrize("components", [(), ("full",), ("full", "mamba")])
def test_without_windows_there_are_no_tombstones_to_weigh(components: tuple[str, ...]) -> None:
    assert "tombstoned" not in grow(script().records, components).weights


def test_what_is_on_the_host_alone_holds_nothing_on_the_device() -> None:
    records = [added(1, 0, 5, live=1, content_key=1), record(NodeAdded, node=2, length=7, live=0, content_key=2)]
    forest = grow(records, ("full",), prices=Prices({"full": 10}))
    assert by_range(forest, "tokens") == {(0, 5): 5}
    assert by_range(forest, "bytes") == {(0, 5): 50}


def test_saved_time_is_hits_times_what_the_steps_that_only_prefilled_took() -> None:
    steps = [
        record(EngineStep, duration_ns=1_000, prefill_tokens=10),
        record(EngineStep, duration_ns=500, prefill_tokens=5),
        record(EngineStep, duration_ns=9_999, prefill_tokens=5, decode_tokens=1),
        record(EngineStep, duration_ns=9_999, decode_tokens=1),
        record(EngineStep, prefill_tokens=50),
    ]
    forest = grow([*script().records, *steps])
    assert by_range(forest, "saved_ns") == {(0, 4): 400, (4, 6): 200}
    assert "saved_ns" not in grow([*script().records, *steps[2:]]).weights


def test_every_weight_has_a_unit() -> None:
    assert UNITS.keys() == WEIGHTS.keys()
    assert set(UNITS.values()) == {"count", "bytes", "nanoseconds"}


def test_two_runs_on_the_same_cuts_have_the_same_frames() -> None:
    cuts = Cuts()
    builders = []
    for texts in (("aaaabb",), ("aaaacc", "aaaabb")):
        made = Script()
        for text in texts:
            made.insert(text)
        builder = ForestBuilder(cuts=cuts)
        for each in made.records:
            builder.apply(each)
        builders.append(builder)
    one, other = (builder.forest() for builder in builders)
    assert [frame.key for frame in one.frames] == [frame.key for frame in other.frames]
    ranges = [(frame.start, frame.end) for frame in one.frames]
    assert sorted(zip(ranges, one.weights["tokens"], other.weights["tokens"], strict=True)) == [
        ((0, 4), 4, 4), ((4, 6), 0, 2), ((4, 6), 2, 2),
    ]  # fmt: skip


def test_a_moment_keeps_what_was_known_then() -> None:
    made = script()
    builder = ForestBuilder(("full", "swa"))
    for each in made.records:
        builder.apply(each)
    moment, known = builder.moment(), len(made.records)
    made.insert("aab")
    made.request("aaaabbx", hit=6)
    for each in made.records[known:]:
        builder.apply(each)
    then, now = moment.forest(), builder.forest()
    assert [frame.end for frame in then.frames if frame.end] == [frame.end for frame in now.frames if frame.end]
    assert (then.whole("tokens"), now.whole("tokens")) == (8, 9)
    assert (then.whole("hits"), now.whole("hits")) == (6, 12)
    assert by_range(then, "hits") == {(0, 2): 2, (2, 4): 2, (4, 6): 2}


def test_a_mirror_of_nodes_that_cannot_be_is_refused() -> None:
    mirror = Mirror(("full",))
    mirror.apply(added(1, 0, 1 << 62, content_key=1))
    mirror.apply(added(2, 1, 1 << 62, start=1 << 62, content_key=2))
    with pytest.raises(RecordingError, match="too large to be true"):
        from_mirror(mirror)

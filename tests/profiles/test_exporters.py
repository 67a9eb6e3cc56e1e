"""The contract of every export format, and what each of them promises on top."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from profiles.exporter import EXPORTERS
from profiles.forest import TOP, Forest, Frame
from profiles.growth.forest_builder import grow
from profiles.growth.planting import forest_of
from profiles.icicle import layout
from profiles.pruned import PARTS
from tests.support.exporting import forest_text
from tests.support.forests import deep_forest, flat_forest, small_forest
from tests.support.pages import page_lines

DATA = Path(__file__).parents[1] / "data"
SVG = "{http://www.w3.org/2000/svg}"
FG = "{http://github.com/jonhoo/inferno}"


def render(name: str, forest: Forest, weight: str = "tokens", parts: int | None = PARTS) -> str:
    """The text of a format; of a page, whose names and hashes stand apart in columns, its rows as lines."""
    text = forest_text(forest, name, weight, parts)
    return page_lines(text) if name == "html" else text


FORESTS = [name for name in EXPORTERS if EXPORTERS.load(name).shows == "forest" and EXPORTERS.load(name).is_text]


@pytest.mark.parametrize("name", FORESTS)
class TestContract:
    def test_a_small_forest_is_the_golden_file(self, name: str) -> None:
        golden = DATA / "exports" / f"small{EXPORTERS.load(name).suffix}"
        assert render(name, small_forest()) == golden.read_text("utf-8")

    @pytest.mark.parametrize("weight", small_forest().weights)
    def test_every_bar_of_the_weight_is_in_the_text(self, name: str, weight: str) -> None:
        text = render(name, small_forest(), weight)
        bars = layout(small_forest(), weight).bars
        assert bars
        assert all(bar.label in text for bar in bars)

    def test_an_empty_forest_has_no_frames(self, name: str) -> None:
        assert not re.search("·[0-9a-f]{6}", render(name, grow([])))

    def test_the_text_ends_with_its_last_line(self, name: str) -> None:
        assert re.search(r"[^\n]\n\Z", render(name, small_forest()))

    def test_a_deep_forest_is_rendered(self, name: str) -> None:
        assert "text 1199" in render(name, deep_forest(1_200), parts=None)


class TestCollapsed:
    def test_counts_are_positive_and_lines_are_sorted(self) -> None:
        lines = render("collapsed", small_forest()).splitlines()
        assert lines == sorted(lines)
        assert all(int(line.rpartition(" ")[2]) > 0 for line in lines)

    def test_equal_stacks_are_summed(self) -> None:
        forest = flat_forest(["a", "a"], [2, 3])
        frames = tuple(frame.__class__(frame.parent, 7, "a ·x", "a", 0, 1) for frame in forest.frames)
        assert render("collapsed", forest_of(frames, forest.weights)) == "a ·x 5\n"

    def test_without_parts_there_is_a_line_per_frame_that_weighs_something(self) -> None:
        lines = forest_text(small_forest(), "collapsed", parts=None).splitlines()
        assert sorted(lines) == forest_text(small_forest(), "collapsed").splitlines()


class TestSpeedscope:
    SCHEMA = json.loads((DATA / "speedscope" / "file-format-schema.json").read_text("utf-8"))

    @pytest.mark.parametrize("weight", small_forest().weights)
    def test_the_document_obeys_the_published_schema(self, weight: str) -> None:
        jsonschema.validate(json.loads(render("speedscope", small_forest(), weight)), self.SCHEMA)

    def test_an_empty_document_obeys_it_too(self) -> None:
        jsonschema.validate(json.loads(render("speedscope", grow([]))), self.SCHEMA)

    def test_there_is_a_profile_per_weight_and_the_chosen_one_opens(self) -> None:
        document = json.loads(render("speedscope", small_forest(), "hits"))
        assert [profile["name"] for profile in document["profiles"]] == [
            small_forest().caption(weight) for weight in small_forest().weights
        ]
        assert document["profiles"][document["activeProfileIndex"]]["name"] == "hit tokens"

    def test_the_unit_of_a_profile_is_that_of_its_weight(self) -> None:
        frames = (Frame(TOP, 1, "match", "match", 0, 0, kind="operation"),)
        forest = forest_of(frames, {"tokens": [3], "bytes": [96], "time_ns": [7]})
        profiles = json.loads(render("speedscope", forest))["profiles"]
        assert [profile["unit"] for profile in profiles] == ["none", "bytes", "nanoseconds"]
        jsonschema.validate(json.loads(render("speedscope", forest)), self.SCHEMA)

    def test_siblings_are_in_the_order_of_the_weight_at_hand_and_folds_are_last(self) -> None:
        labels = [f"t {number}" for number in range(100)]
        frames = flat_forest(labels, [1] * 100).frames
        forest = forest_of(tuple(frames), {"tokens": [500, 400, *[3] * 98], "hits": [400, 500, *[3] * 98]})
        document = json.loads(forest_text(forest, "speedscope", parts=100))
        names = [frame["name"].partition(" ·")[0] for frame in document["shared"]["frames"]]
        orders = [[names[stack[-1]] for stack in profile["samples"]] for profile in document["profiles"]]
        assert orders == [["t 0", "t 1", "(+98 nodes)"], ["t 1", "t 0", "(+98 nodes)"]]

    @pytest.mark.parametrize("make", [small_forest, lambda: deep_forest(50)])
    def test_without_parts_every_frame_is_there(self, make: Callable[[], Forest]) -> None:
        forest = make()
        document = json.loads(forest_text(forest, "speedscope", parts=None))
        jsonschema.validate(document, self.SCHEMA)
        assert [frame["name"] for frame in document["shared"]["frames"]] == [frame.label for frame in forest.frames]
        assert [profile["endValue"] for profile in document["profiles"]] == [
            sum(profile["weights"]) for profile in document["profiles"]
        ]

    def test_the_end_of_a_profile_is_the_sum_of_its_weights(self) -> None:
        for profile in json.loads(render("speedscope", small_forest()))["profiles"]:
            assert profile["endValue"] == sum(profile["weights"])
            assert len(profile["samples"]) == len(profile["weights"])

    def test_what_follows_a_frame_comes_before_its_own_part_heaviest_first(self) -> None:
        document = json.loads(render("speedscope", small_forest()))
        names = [frame["name"].partition(" ·")[0] for frame in document["shared"]["frames"]]
        ends = [names[sample[-1]] for sample in document["profiles"][0]["samples"]]
        assert ends[:4] == ["question 2", "document 2", "user turn 1 + answer 1", "system prompt 1"]

    def test_one_content_is_one_frame_in_all_profiles(self) -> None:
        names = [frame["name"] for frame in json.loads(render("speedscope", small_forest()))["shared"]["frames"]]
        assert len(names) == len(set(names))

    def test_two_contents_of_one_label_stay_two_frames(self) -> None:
        forest = flat_forest(["a", "a"], [2, 3])
        frames = tuple(frame.__class__(frame.parent, frame.key, "same", "a", 0, 1) for frame in forest.frames)
        document = json.loads(render("speedscope", forest_of(frames, forest.weights)))
        assert document["profiles"][0]["samples"] == [[0], [1]]


class TestSvg:
    def bars(self, forest: Forest, weight: str = "tokens") -> list[ElementTree.Element]:
        document = ElementTree.fromstring(render("svg", forest, weight))
        return [group for group in document.iter(f"{SVG}g") if "bar" in group.get("class", "")]

    def test_nothing_is_fetched_and_nothing_runs(self) -> None:
        text = render("svg", small_forest())
        assert not re.search(r"<script|href|<image|@import|src=|url\(http", text)

    def test_every_bar_has_a_tooltip_and_its_place_in_tokens(self) -> None:
        icicle = layout(small_forest(), "tokens")
        for group, bar in zip(self.bars(small_forest()), icicle.bars, strict=True):
            tooltip, box = group[0].text or "", group[1]
            assert tooltip.startswith(f"{bar.label}\n{bar.total:,} resident tokens")
            assert (box.get(f"{FG}x"), box.get(f"{FG}w")) == (str(bar.offset), str(bar.total))

    def test_times_and_sizes_are_told_in_their_units(self) -> None:
        forest = flat_forest(["a", "b"], [3_000_000, 1_500_000])
        timed = forest_of(forest.frames, {"time_ns": [3_000_000, 1_500_000], "bytes": [3 << 20, 512]})
        assert "3.00 ms time in operations (67%)" in render("svg", timed, "time_ns")
        assert "4.50 ms time in operations in 2 nodes" in render("svg", timed, "time_ns")
        assert "512 B resident KV bytes (0.0%)" in render("svg", timed, "bytes")

    def test_bars_lie_inside_their_parent_and_the_picture(self) -> None:
        icicle = layout(small_forest(), "tokens")
        boxes = [(float(g[1].get("x", "")), float(g[1].get("width", ""))) for g in self.bars(small_forest())]
        for (x, width), bar in zip(boxes, icicle.bars, strict=True):
            left, most = boxes[bar.parent] if bar.parent >= 0 else (24.0, 1_152.0)
            assert left - 0.01 <= x
            assert x + width <= left + most + 0.01

    def test_text_fits_its_bar(self) -> None:
        forest = flat_forest([f"document {'文' * (n % 3)} {n}" for n in range(16)], [20 + 9 * n for n in range(16)])
        shown = 0
        for group in self.bars(forest):
            for text in group.iter(f"{SVG}text"):
                words = "".join(text.itertext())
                columns = sum(2 if character == "文" else 1 for character in words)
                assert 6.6 * columns <= float(group[1].get("width", "")) - 8
                shown += 1
        assert shown > 10

    def test_a_shortened_name_keeps_its_number(self) -> None:
        forest = flat_forest(["system prompt 12345", "b"], [9, 91])
        words = ["".join(text.itertext()) for group in self.bars(forest) for text in group.iter(f"{SVG}text")]
        assert any(re.fullmatch(r"sys\w*…12345", text) for text in words)

    def test_tombstones_and_what_left_are_marked_and_explained(self) -> None:
        text = render("svg", small_forest())
        assert text.count('fill="url(#hatch)" pointer-events') == 1
        assert "tombstone: swa gone" in text
        evicted = render("svg", small_forest(), "evicted")
        assert 'class="bar gone"' in evicted
        assert "no longer in the cache" in evicted

    def test_markup_in_names_is_text(self) -> None:
        assert "<b>&\"'" in (self.bars(flat_forest(["<b>&\"'"], [1]))[0][0].text or "")

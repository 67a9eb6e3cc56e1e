"""The pages of flame graphs and of differences in a browser: they show what Python says, and fetch nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from profiles.diff.difference import Difference, compare
from profiles.diff.format import DiffOptions, write_difference
from profiles.forest import TOP, WEIGHTS, Forest, Frame
from profiles.growth.planting import forest_of
from tests.support.chromium import Chromium, Tab
from tests.support.exporting import forest_text
from tests.support.forests import deep_forest, flat_forest, small_difference, small_forest

pytestmark = pytest.mark.needs("chromium")

FILL = "(x, y) => [...document.querySelector('canvas').getContext('2d').getImageData(x, y, 1, 1).data].join()"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    with Chromium() as browser:
        yield browser


class Page:
    """A page that is open, in the words of its `window.radixtop`."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab

    def state(self, name: str) -> Any:
        return self.tab.evaluate(f"radixtop.state.{name}")

    def row(self, start_of_label: str) -> int:
        is_it = f"row => radixtop.label(row).startsWith({json.dumps(start_of_label)})"
        found = self.tab.evaluate(f"[...Array(radixtop.rows).keys()].find({is_it})")
        assert found is not None, f"no row {start_of_label!r}"
        return int(found)

    def box(self, start_of_label: str) -> dict[str, float]:
        place: dict[str, float] = self.tab.evaluate(f"radixtop.place({self.row(start_of_label)})")
        return place

    def point_at(self, start_of_label: str, click: bool = False) -> None:
        box = self.box(start_of_label)
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        (self.tab.click if click else self.tab.move)(x, y)

    def settle(self) -> None:
        self.tab.wait_for("!radixtop.state.moving")

    def text(self, selector: str) -> str:
        return str(self.tab.evaluate(f"document.querySelector({json.dumps(selector)}).innerText"))


def opened(chromium: Chromium, folder: Path, shown: Forest | Difference, scheme: str = "light") -> Page:
    file = folder / "page.html"
    if isinstance(shown, Forest):
        file.write_text(forest_text(shown, "html"), "utf-8")
    else:
        out = BytesIO()
        write_difference(shown, "html", DiffOptions(), out)
        file.write_bytes(out.getvalue())
    return Page(chromium.open(file.as_uri(), scheme=scheme))


@pytest.mark.parametrize("shown", [small_forest, small_difference])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_fetches_nothing_and_complains_of_nothing(
    chromium: Chromium, tmp_path: Path, shown: Any, scheme: str
) -> None:
    page = opened(chromium, tmp_path, shown(), scheme)
    for key in ("c", "c", "c", "2", "4", "1", "t", "?", "Escape", "p", "p", "/"):
        page.tab.press(key)
    page.tab.type("question")
    for key in ("Enter", "Enter", "Escape", "Backspace", "ArrowDown", "ArrowRight", "Enter", "Escape"):
        page.tab.press(key)
    page.point_at("system prompt 1")
    page.settle()
    assert page.tab.complaints == []
    assert [url for url in page.tab.requested if not url.startswith("data:")] == [(tmp_path / "page.html").as_uri()]


def test_a_script_that_is_not_the_pages_own_does_not_run(chromium: Chromium, tmp_path: Path) -> None:
    page = opened(chromium, tmp_path, small_forest())
    page.tab.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))"
    )
    assert page.tab.evaluate("window.ran") is None
    assert any("Content Security Policy" in complaint for complaint in page.tab.complaints)


def test_names_are_text_whatever_they_say(chromium: Chromium, tmp_path: Path) -> None:
    names = [
        "</script><script>window.ran=1</script>",
        "<!--<script>",
        "<img src=x onerror=window.ran=1>",
        "a\u2028b {data}",
    ]
    page = opened(chromium, tmp_path, flat_forest(names, [4, 3, 2, 1]))
    page.point_at("<img")
    assert page.tab.evaluate("window.ran") is None
    assert page.tab.evaluate("radixtop.rows") == 5
    assert page.tab.complaints == []
    assert "<img src=x" in page.text("#tip")


def test_a_click_zooms_and_escape_shows_everything(chromium: Chromium, tmp_path: Path) -> None:
    page = opened(chromium, tmp_path, small_forest())
    whole = page.box("all")["width"]
    assert page.box("document 2")["width"] < 0.6 * whole
    page.point_at("document 2", click=True)
    page.settle()
    assert page.box("document 2")["width"] == pytest.approx(page.box("all")["width"], abs=5)
    assert page.text("#crumbs").split()[:4] == ["all", "system", "prompt", "1"]
    assert "tokens 8 to 19 of the prompt" in page.text("#details")
    page.tab.press("Backspace")
    page.settle()
    assert page.state("zoomed") == 0
    page.point_at("question 2", click=True)
    page.tab.press("Escape")
    page.settle()
    assert page.state("zoomed") == 0
    assert page.box("all")["width"] == pytest.approx(whole, abs=1)


def test_a_weight_changes_widths_and_totals(chromium: Chromium, tmp_path: Path) -> None:
    forest = small_forest()
    page = opened(chromium, tmp_path, forest)
    assert page.tab.evaluate("radixtop.totals()") == [sum(own) for own in forest.weights.values()]
    for number, own in enumerate(forest.weights.values(), 1):
        page.tab.press(str(number))
        assert page.text("#totals").startswith(f"{sum(own):,} ")
    page.tab.press(str(1 + list(forest.weights).index("evicted")))
    assert page.box("question 1")["width"] == pytest.approx(page.box("all")["width"], abs=5)


def test_a_search_counts_what_matches_hold_once(chromium: Chromium, tmp_path: Path) -> None:
    page = opened(chromium, tmp_path, small_forest())
    page.tab.press("/")
    page.tab.type("prompt 1")
    assert page.state("share") == pytest.approx(25 / 31)
    page.tab.press("r")  # goes into the text
    assert page.state("matches") == []
    page.tab.press("Backspace")
    page.tab.press("Enter")
    assert page.tab.evaluate("radixtop.label(radixtop.state.focused)").startswith("system prompt 1 ·")
    page.tab.press("Escape")
    page.tab.press("r")
    page.tab.press("/")
    page.tab.type("(question|answer) [12]")
    assert page.state("share") == pytest.approx(6 / 31)
    assert page.text("#found") == "2 matches · 19%"
    page.tab.type("(")
    assert page.text("#found") == "no expression"
    assert page.tab.complaints == []


def test_the_pointer_is_told_what_it_is_over(chromium: Chromium, tmp_path: Path) -> None:
    page = opened(chromium, tmp_path, small_forest())
    page.point_at("system prompt 1")
    tip = page.text("#tip")
    assert "25 resident tokens" in tip
    assert "81% of all" in tip
    assert "8 its own, 17 below" in tip
    assert "tombstone: swa gone" in tip
    page.point_at("system prompt 2")
    assert "namespace adapter 1" in page.text("#tip")


def test_keys_walk_from_frame_to_frame(chromium: Chromium, tmp_path: Path) -> None:
    page = opened(chromium, tmp_path, small_forest())
    seen = []
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowDown"):
        page.tab.press(key)
        seen.append(page.tab.evaluate("radixtop.label(radixtop.state.focused)").partition(" ·")[0])
    assert seen == ["system prompt 1", "adapter 1", "system prompt 2", "adapter 1", "system prompt 1", "document 2"]
    assert "document 2" in page.text("#spoken")


def test_frames_are_painted_sharply_in_both_themes(chromium: Chromium, tmp_path: Path) -> None:
    page = opened(chromium, tmp_path, small_forest())
    box = page.box("document 2")
    at = page.tab.evaluate("(({left, top}) => [left, top])(document.querySelector('canvas').getBoundingClientRect())")
    x, y = box["x"] - at[0] + 3, box["y"] - at[1] + 3
    page.tab.evaluate("radixtop.draw()")
    light = page.tab.evaluate(f"({FILL})({x}, {y})")
    page.tab.press("t")
    page.tab.evaluate("radixtop.draw()")
    dark = page.tab.evaluate(f"({FILL})({x}, {y})")
    paper = page.tab.evaluate(f"({FILL})({x}, 400)")
    assert len({light, dark, paper}) == 3
    page.tab.resize(1000, 700, 2)
    assert (
        page.tab.wait_for("(c => c.width == 2 * c.clientWidth && c.clientWidth)(document.querySelector('canvas'))")
        > 500
    )


def test_a_deep_page_scrolls_to_what_is_focused(chromium: Chromium, tmp_path: Path) -> None:
    page = opened(chromium, tmp_path, deep_forest(120))
    page.tab.press("/")
    page.tab.type("text 119")
    page.tab.press("Enter")
    box = page.box("text 119")
    assert 140 < box["y"] < 780


def test_a_difference_says_what_grew_and_shrank_without_colours(chromium: Chromium, tmp_path: Path) -> None:
    difference = small_difference()
    page = opened(chromium, tmp_path, difference)
    balance = difference.balance("tokens")
    assert f"retained {balance.kept} " in page.text("#balance")
    assert f"inserted +{balance.grown} " in page.text("#balance")
    assert f"evicted −{balance.shrunk} " in page.text("#balance")
    assert page.box("question 1")["width"] > 20  # it is gone, and keeps its place
    page.point_at("question 1")
    assert "gone" in page.text("#tip")
    assert "3 → 0" in page.text("#tip")
    page.point_at("document 3")
    assert "+6" in page.text("#tip")
    assert page.text("#list").split("\n")[:2] == ["document 3 ·4666cc", "+6"]


def test_all_weights_of_a_difference_fit_on_a_common_screen(chromium: Chromium, tmp_path: Path) -> None:
    before, after = (
        forest_of((Frame(TOP, 1, "text 1", "text 1", 0, 1),), {weight: [value] for weight in WEIGHTS})
        for value in (987_654, 123_456)
    )
    page = opened(chromium, tmp_path, compare(before, after))
    assert page.tab.evaluate("document.querySelectorAll('#weights button').length") == len(WEIGHTS)
    beyond = "(() => { const row = document.querySelector('#weights'); return row.scrollWidth - row.clientWidth; })()"
    assert page.tab.evaluate(beyond) == 0

"""The page of a flame graph as a file: small, closed to what is not its own, and honest about names."""

from __future__ import annotations

import re
from io import BytesIO

from profiles.exporter import ExportOptions, export
from profiles.growth.forest_builder import grow
from profiles.profile import ForestProfile
from tests.support.exporting import exported, forest_text
from tests.support.forests import flat_forest, small_forest
from tests.support.pages import page_data


def test_the_page_is_small_before_its_data() -> None:
    page = re.sub('(id="data">).*?</script>', r"\\1</script>", forest_text(grow([]), "html"), flags=re.DOTALL)
    assert len(page.encode()) < 60_000
    assert max(map(len, page.splitlines())) < 400  # and readable


def test_it_lets_in_nothing_but_its_own_style_and_script() -> None:
    page = forest_text(small_forest(), "html")
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', page)
    assert policy
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy[1]
    assert not re.search(r"""(src|href)=["'](?!data:)|url\(|@import|fetch\(|XMLHttpRequest|\son\w+=""", page)


def test_names_cannot_end_the_data_or_open_a_comment() -> None:
    names = ["</script>", "<!--", "-->", "a\u2028b\u2029c", '"\\']
    data = (
        forest_text(flat_forest(names, [5, 4, 3, 2, 1]), "html").partition('id="data">')[2].partition("</script>")[0]
    )
    assert not re.search("[<>\u2028\u2029]", data)
    assert page_data(f'<script type="application/json" id="data">{data}</script>')["depth"] == [0] * 5


def test_without_parts_every_frame_is_in_it() -> None:
    out = BytesIO()
    export(ForestProfile(flat_forest(["a"] * 5_000, [1] * 5_000)), "html", ExportOptions(parts=None), out)
    assert len(page_data(out.getvalue().decode())["depth"]) == 5_000


def test_the_chosen_weight_opens() -> None:
    data = page_data(forest_text(small_forest(), "html", "hits"))
    assert data["weights"][data["chosen"]] == {"name": "hits", "label": "hit tokens", "unit": "count"}


def test_settings_are_told_and_places_of_this_machine_are_not() -> None:
    config = {"components": ["full", "swa"], "page_size": 16, "policy": "lru", "pid": 4242, "model": None}
    page = exported(ForestProfile(small_forest(), config), "html").decode()
    assert page_data(page)["about"] == ["full + swa", "page size 16", "lru"]
    assert "4242" not in page.partition('id="data">')[2]

"""Pages in Prometheus' text format: what is read of them, and what a page that is none can do."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from probes.scrapes import page as pages
from probes.scrapes.metric import ENGINES
from probes.scrapes.page import Page, Series, plain_name, read_page
from tests.support.metrics_pages import recorded_page

NAMES = frozenset({"a", "b", "vllm_hits_total"})


def read(text: str) -> dict[str, list[tuple[dict[str, str], float]]]:
    """Return the series of a page by name."""
    families = read_page(text, NAMES).families
    return {name: [(dict(each.labels), each.value) for each in family] for name, family in families.items()}


@pytest.mark.parametrize("name", ["sglang_0.5.23_t1", "vllm_0.33.0_t0", "vllm_0.12.0_t1"])
def test_a_recorded_page_is_read_as_the_library_reads_it(name: str) -> None:
    text = recorded_page(name)
    wanted = ENGINES.load(name.partition("_")[0]).wanted
    expected: dict[str, list[Series]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if plain_name(sample.name) in wanted:
                expected.setdefault(plain_name(sample.name), []).append(Series(sample.labels, sample.value))
    page = read_page(text, wanted)
    assert {name: [*family] for name, family in page.families.items()} == expected
    assert (page.malformed_lines, page.is_cut) == (0, False)


def test_a_colon_and_an_underscore_in_a_name_are_one() -> None:
    for text in ("vllm:hits_total 1\n", "vllm_hits_total 1\n"):
        page = read_page(text, NAMES)
        assert [series.value for series in page.families["vllm_hits_total"]] == [1.0]
        assert page.has_prefix("vllm_")


def test_a_metric_in_both_spellings_counts_once() -> None:
    page = read_page("vllm:hits_total 1\nvllm_hits_total 1\n", NAMES)
    assert [series.value for series in page.families["vllm_hits_total"]] == [1.0]


def test_a_bad_line_costs_itself_alone() -> None:
    page = read_page('a 1\na{x="y} 2\na{x="y"} three\na 1 2 3\nb{} 4\n', NAMES)
    assert [series.value for series in page.families["a"]] == [1.0, 1.0]
    assert page.families["b"][0].value == 4.0
    assert page.malformed_lines == 2


def test_what_nobody_asked_for_is_not_read_but_known() -> None:
    page = read_page("c 1\nd{oops 2\n", NAMES)
    assert page == Page({}, frozenset({"c", "d"}))


def test_help_types_blank_lines_and_times_are_no_trouble() -> None:
    assert read_page("  # b 8\n\t\n", NAMES).malformed_lines == 0
    assert read("# HELP a x\n# TYPE a counter\n\n   \na 1 1700000000000\r\n#b 7\n  # b 8\n") == {"a": [({}, 1.0)]}


def test_not_a_number_and_infinity_are_values() -> None:
    values = [value for _, value in read("a NaN\na +Inf\na -Inf\n")["a"]]
    assert math.isnan(values[0])
    assert values[1:] == [math.inf, -math.inf]


def test_a_number_that_no_float_holds_is_infinite() -> None:
    assert read(f"a {10**400}\n") == {"a": [({}, math.inf)]}


def test_labels_are_short_and_can_be_printed() -> None:
    ((labels, _),) = read('a{x="\\n\x1b[31mred",y="' + "z" * 5_000 + '"} 1')["a"]
    assert labels["x"] == "··[31mred"
    assert labels["y"] == "z" * pages.MOST_LABEL_CHARACTERS


def test_an_escaped_quote_and_a_brace_in_a_label_end_nothing() -> None:
    assert read('a{x="}\\"{,",y="\\\\"} 1') == {"a": [({"x": '}"{,', "y": "\\"}, 1.0)]}


def test_html_is_no_page_of_metrics() -> None:
    page = read_page("<!DOCTYPE html>\n<html><body>\n<h1>It works</h1>\n</body></html>\n", NAMES)
    assert not page.families
    assert not page.names
    assert page.malformed_lines == 4


@pytest.mark.parametrize(
    "line",
    [
        "a{" + ",".join(f'l{number}="1"' for number in range(pages.MOST_LABELS + 1)) + "} 1",
        'a{x="' + "y" * pages.MOST_LINE_CHARACTERS + '"} 1',
        'a{x="1",x="2"} 1',
    ],
    ids=["labels", "length", "twice"],
)
def test_a_line_that_is_too_much_is_left_out(line: str) -> None:
    page = read_page(f"{line}\nb 1\n", NAMES)
    assert set(page.families) == {"b"}
    assert page.malformed_lines == 1


def test_a_page_that_is_too_long_is_cut_where_a_line_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_CHARACTERS", 9)
    page = read_page("a 1\na 2\na 345\n", NAMES)
    assert [series.value for series in page.families["a"]] == [1.0, 2.0]
    assert page.is_cut
    monkeypatch.setattr(pages, "MOST_CHARACTERS", 100)
    monkeypatch.setattr(pages, "MOST_LINES", 2)
    page = read_page("a 1\na 2\na 345\n", NAMES)
    assert [series.value for series in page.families["a"]] == [1.0, 2.0]
    assert page.is_cut


def test_the_names_of_a_page_are_not_kept_without_end() -> None:
    page = read_page("\n".join(f"n{number} 1" for number in range(10_000)), NAMES)
    assert len(page.names) == pages.MOST_NAMES


def mangled(draw: st.DrawFn) -> str:
    """Return a few lines of a recorded page, cut and spliced."""
    part = recorded_page("vllm_0.33.0_t0").splitlines()
    chosen = draw(st.lists(st.sampled_from(part), max_size=6))
    cuts = [line[draw(st.integers(0, 20)) : draw(st.integers(0, 200))] for line in chosen]
    return draw(st.sampled_from(["\n", "", '"', "{", "}\n", ",", "\\"])).join(cuts)


@given(st.text() | st.composite(mangled)())
@example("a{} ")
@example("a{,} 1")
@example('a{="x"} 1')
@example("a{x=} 1")
@example('vllm:x{__name__="a"} 1')
@example("a " + "9" * 5_000)
def test_no_text_upsets_a_reader(text: str) -> None:
    page = read_page(text, ENGINES.load("vllm").wanted | {"a", "vllm_x"})
    for family in page.families.values():
        assert all(isinstance(series.value, float) for series in family)
        assert all(value.isprintable() for series in family for value in series.labels.values())

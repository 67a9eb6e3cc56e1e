"""Labels: fit for every format, and nothing in them that is private or that changes from run to run."""

from __future__ import annotations

import gzip
import json
import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cache_core import events as ev
from profiles.growth.forest_builder import grow
from profiles.labels import LONGEST_TEXT, clean, join, label, parted
from profiles.profile import ForestProfile
from profiles.pruned import prune
from tests.support.exporting import exported, forest_text
from tests.support.forests import flat_forest
from tests.support.pprof_reader import read_pprof
from tests.support.records import added, record
from tests.support.timed_run import exported_records
from tests.support.tree_script import Script

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


def test_of_an_endless_text_both_ends_are_looked_at() -> None:
    made = clean(f"begins\x1b here{'x' * 1_000_000}and\nends there")
    assert len(made) == LONGEST_TEXT
    assert made.startswith("begins here")
    assert made.endswith("and⏎ends there")
    assert clean("a" + " " * 1_000_000 + "b") == "a … b"


def test_a_long_text_keeps_both_ends() -> None:
    made = clean("begin " + "x" * 200 + " end")
    assert (made[:5], made[-3:], len(made)) == ("begin", "end", LONGEST_TEXT)


def test_several_names_are_joined_without_a_count() -> None:
    assert join(["a"]) == "a"
    assert join(["a", "b"]) == "a + b"
    assert join(["a", "b", "c", "d"]) == "a … d"


@given(st.lists(st.tuples(TEXTS, st.integers(1, 10**9)), min_size=1, max_size=4))
def test_every_format_of_stacks_calls_a_frame_by_the_same_clean_label(pairs: list[tuple[str, int]]) -> None:
    forest = flat_forest([text for text, _ in pairs], [own for _, own in pairs])
    labels = {label(text, key) for key, (text, _) in enumerate(pairs, 1)}
    profile = ForestProfile(forest)
    speedscope = json.loads(exported(profile, "speedscope", parts=None))
    assert {frame["name"] for frame in speedscope["shared"]["frames"]} == labels
    assert set(read_pprof(exported(profile, "pprof", parts=None)).system_names) == labels
    lines = exported(profile, "collapsed", parts=None).decode().splitlines()
    assert {line.rpartition(" ")[0] for line in lines} == labels


def test_no_export_holds_an_id_of_a_node_or_of_a_label() -> None:
    """Ids of 17 digits would show; a content key is told as 16 hexadecimal digits."""
    node, other, name = 71_717_171_717_171_717, 72_727_272_727_272_727, 73_737_373_737_373_737
    records = [
        record(ev.Label, id=name, text="document 1"),
        added(node, 0, 8, content_key=5),
        record(ev.NodeLabelled, node=node, label=name),
        record(ev.NodeSplit, node=node, upper=other, length=3, content_key=6, live=1),
        record(ev.Match, at=9, duration_ns=3, queried_tokens=9, device_hit_tokens=8, full_hit_tokens=8, node=node,
               full_node=node, request=1),
        record(ev.RequestAdmitted, at=10, request=1, prompt_tokens=9, device_hit_tokens=8, new_tokens=1),
    ]  # fmt: skip
    for format in ("svg", "collapsed", "speedscope", "csv", "markdown"):
        text = exported_records(records, format).decode()
        assert not any(str(id_) in text for id_ in (node, other, name)), format
    assert not any(str(id_) in gzip.decompress(exported_records(records, "pprof")).decode("latin-1")
                   for id_ in (node, other, name))  # fmt: skip


NAMES = st.one_of(
    TEXTS,
    st.sampled_from(
        ["", " ", ";", "worker 12", "kernel_[k]", "x" * 500, "字" * 90, "\u202eevil", "שלום 3", "a\tb\nc", "1.5"]
    ),
)


@given(st.lists(st.tuples(st.text("ab", min_size=1, max_size=5), NAMES, NAMES), min_size=1, max_size=6))
@example([("a", "\ud800", "\ud800")])
def test_whatever_segments_and_namespaces_are_called_every_row_has_a_clean_label(
    steps: list[tuple[str, str, str]],
) -> None:
    records = []
    for number, (text, segment, namespace) in enumerate(steps):
        script = Script(namespace=namespace, first_id=1 + 1_000 * number)
        script.insert(text, ((0, segment),))
        script.request(text, hit=len(text))
        records += script.records
    for parts in (None, 2, 4_000):
        for row in prune(grow(records), parts):
            label = row.label
            assert not any(unicodedata.category(each) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for each in label)
            assert label == label.strip() != ""
            assert ";" not in label
            assert len(label) <= LONGEST_TEXT + len(" ·abcdef")
            assert not re.search(r"\s[\d.]+$|_\[[kwij]\]$", label)
            assert row.frame is None or row.frame.kind == "operation" or re.search(" ·[0-9a-f]{6}$", label)


@given(st.integers(1, 10**9), st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=6))
def test_labels_are_the_same_whatever_the_ids_are(first_id: int, texts: list[str]) -> None:
    labels = []
    for first in (1, first_id):
        script = Script(namespace="adapter", first_id=first)
        for text in texts:
            script.insert(text, ((0, "question 7"),))
        labels.append([row.label for row in prune(grow(script.records), None)])
    assert labels[0] == labels[1]


@pytest.mark.parametrize("text", ["document 4", "a ·b", "a ·abcdef"])
def test_a_label_comes_apart_into_its_text_and_its_digits(text: str) -> None:
    made = label(text, 7)
    assert parted(made) == (text, made[-6:])


@pytest.mark.parametrize("text", ["(+3 nodes)", "match", "a ·b", "a ·abcdefg"])
def test_what_has_no_content_has_no_digits(text: str) -> None:
    assert parted(text) == (text, "")

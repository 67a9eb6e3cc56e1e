"""Differences: what is the same is the same however it is cut, and what changed adds up."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from profiles.diff.difference import Difference, compare
from profiles.forest import Forest
from profiles.growth.forest_builder import grow
from tests.support.tree_script import Script

TEXTS = st.lists(st.text("ab", min_size=1, max_size=7), min_size=1, max_size=7)


def grown(*texts: str, evicted: tuple[str, ...] = (), first_id: int = 1) -> Forest:
    """The forest of texts that went into a cache one after the other, and of some that left."""
    script = Script(first_id=first_id)
    for text in texts:
        script.request(text, hit=script.known_tokens(text))
        script.insert(text)
    for text in evicted:
        script.evict(text)
    return grow(script.records)


def changes(difference: Difference, weight: str = "tokens") -> dict[tuple[int, int], tuple[str, int, int]]:
    """(start, end) -> status, before and after, of the pieces that weigh something themselves."""
    place = difference.weights.index(weight)
    rows = [row for row in difference.rows(None) if row.frame and row.own[place].wide]
    return {
        (row.frame.start, row.frame.end): (row.own[place].status, *row.own[place][:2]) for row in rows if row.frame
    }


@given(TEXTS)
def test_a_run_does_not_differ_from_itself(texts: list[str]) -> None:
    difference = compare(grown(*texts), grown(*texts, first_id=500))
    for row in difference.rows(None):
        assert {change.status for change in (*row.own, *row.total)} <= {"same"}


@given(TEXTS, TEXTS)
def test_deltas_add_up_to_the_difference_of_totals(some: list[str], others: list[str]) -> None:
    before, after = grown(*some), grown(*others)
    difference = compare(before, after)
    for place, weight in enumerate(difference.weights):
        whole = sum(after.weights[weight]) - sum(before.weights[weight])
        assert sum(row.own[place].delta for row in difference.rows(None)) == whole
        assert sum(row.own[place].delta for row in difference.rows(3)) == whole
        assert difference.balance(weight).delta == whole


@given(TEXTS, TEXTS)
def test_the_way_back_is_the_negative(some: list[str], others: list[str]) -> None:
    before, after = grown(*some), grown(*others)
    there, back = compare(before, after), compare(after, before)
    forth = {(row.frame.key, row.frame.start): row.own for row in there.rows(None) if row.frame}
    for row in back.rows(None):
        assert row.frame
        assert [(change.after, change.before) for change in row.own] == [
            (change.before, change.after) for change in forth.pop((row.frame.key, row.frame.start))
        ]
    assert forth == {}


@given(
    st.permutations(["aaaabb", "aaaacc", "aaaabbdd", "aabb"]),
    st.permutations(["aaaabb", "aaaacc", "aaaabbdd", "aabb"]),
)
def test_the_order_in_which_content_came_is_no_difference(one: list[str], another: list[str]) -> None:
    assert {status for status, _, _ in changes(compare(grown(*one), grown(*another))).values()} == {"same"}


def test_cuts_of_one_side_cut_the_other() -> None:
    difference = compare(grown("aaaabb"), grown("aaaabb", "aaaacc"))
    place = difference.weights.index("tokens")
    rows = [
        (row.frame.start, row.frame.end, *row.own[place])
        for row in difference.rows(None)
        if row.frame and row.frame.end
    ]
    assert sorted(rows) == [(0, 4, 4, 4, 4), (4, 6, 0, 2, 2), (4, 6, 2, 2, 2)]


def test_cuts_of_both_sides_meet_in_one_path() -> None:
    before = grown("aa", "aaaabb")
    after = grown("aaaa", "aaaabb")
    assert changes(compare(before, after)) == {
        (0, 2): ("same", 2, 2),
        (2, 4): ("same", 2, 2),
        (4, 6): ("same", 2, 2),
    }


def test_what_left_keeps_its_place_and_its_width() -> None:
    difference = compare(grown("aaaabb", "aaaacccc"), grown("aaaabb", "aaaacccc", evicted=("aaaacccc",)))
    assert changes(difference)[4, 8] == ("gone", 4, 0)
    assert difference.balance("tokens") == (10, 6, 10)
    assert not next(row.frame.resident for row in difference.rows() if row.frame and row.frame.end == 8)


def test_a_balance_says_what_stayed_came_and_left() -> None:
    balance = compare(grown("aaaa", "bb"), grown("aaaa", "ccc")).balance("tokens")
    assert (balance.kept, balance.grown, balance.shrunk, balance.delta) == (4, 3, 2, 1)


def test_a_fold_tells_what_came_and_what_left_apart() -> None:
    difference = compare(grown("b" * 90, "cc"), grown("b" * 90, "dd"))
    fold = next(row for row in difference.rows(20) if row.frame is None)
    place = difference.weights.index("tokens")
    assert (fold.total[place].grown, fold.total[place].shrunk, fold.total[place].status) == (2, 2, "mixed")


def test_what_came_back_after_an_eviction_is_counted_within_one_run() -> None:
    script = Script()
    script.insert("aaaa")
    script.insert("bbb")
    script.evict("bbb")
    before = grow(script.records)
    script.insert("bbb")
    script.insert("cc")
    after = grow(script.records)
    assert compare(before, after, one_run=True).returned_tokens == 3
    assert compare(before, after).returned_tokens is None


def test_namespaces_are_compared_each_by_itself() -> None:
    def run(*texts: str) -> Forest:
        plain, adapter = Script(), Script(namespace="adapter 1", first_id=100)
        plain.insert("aaaa")
        for text in texts:
            adapter.insert(text)
        return grow(plain.records + adapter.records)

    rows = list(compare(run("aaaa"), run("aaaa", "cc")).rows(None))
    above = [row for row in rows if row.depth == 0]
    assert [(row.label.partition(" ·")[0], row.total[0][:2]) for row in above] == [
        ("adapter 1", (4, 6)),
        ("tokens", (4, 4)),
    ]
    assert [row.own[0].status for row in rows if row.own[0].delta] == ["new"]

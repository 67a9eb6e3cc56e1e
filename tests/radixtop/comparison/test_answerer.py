"""Marking a moment, and what is said of it later."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from probes.mirror import Mirror
from probes.snapshot import Snapshot
from radixtop.comparison.answerer import CompareAnswerer
from radixtop.comparison.page import Comparison
from radixtop.comparison.question import CompareQuestion, MarkQuestion
from radixtop.comparison.rows import points, rows_of
from radixtop.question import Desk
from radixtop.render.compare_lines import answer, compare_lines
from radixtop.render.lines import fit, plain, width_of
from tests.support.watched import NOW, SECOND, FakeSource, mirror, node, samples


class Watch:
    """An answerer and a cache that hits what it is told to."""

    def __init__(self) -> None:
        self.answerer = CompareAnswerer(lambda: 0)
        self.source = FakeSource(mirror())
        self.now = NOW
        self.since = NOW - 300 * SECOND
        self.samples: dict[str, Any] = samples()
        self.marks = 0

    def pass_second(self, queried: int = 1_000, hit: int = 700, calls: int = 0) -> None:
        self.now += SECOND
        total = self.samples["hit_rate"].total
        total = replace(
            total,
            queries=total.queries + 1,
            queried_tokens=total.queried_tokens + queried,
            hit_tokens=total.hit_tokens + hit,
            full_hit_tokens=total.full_hit_tokens + hit,
        )
        evictions = self.samples["evictions"]
        self.samples = self.samples | {
            "hit_rate": replace(self.samples["hit_rate"], total=total),
            "evictions": replace(evictions, calls=evictions.calls + calls),
        }
        self.ask()

    def ask(self) -> Comparison:
        snapshot = Snapshot(1, self.now, self.now, self.source.state, self.samples, self.since)
        assert self.answerer.answer(self.source, snapshot, MarkQuestion(self.marks)) is None
        found = self.answerer.answer(self.source, snapshot, CompareQuestion())
        assert found is not None
        return found

    def mark(self) -> None:
        self.marks += 1
        self.ask()


def marked() -> Watch:
    """Return a watch whose hit rate fell, and whose evictions began, when it was marked."""
    watch = Watch()
    for _ in range(90):
        watch.pass_second()
    watch.mark()
    for _ in range(42):
        watch.pass_second(hit=480, calls=310)
    return watch


def test_before_is_the_minute_before_the_mark_and_since_is_all_after_it() -> None:
    found = marked().ask()
    assert (found.before.ns, found.since.ns) == (60 * SECOND, 42 * SECOND)
    assert found.before.ratio("hit", "queried") == 0.7 and found.since.ratio("hit", "queried") == 0.48
    assert found.before.per_s("evict calls") == 0 and found.since.per_s("evict calls") == 310


def test_a_mark_stays_when_another_moment_is_looked_at() -> None:
    desk, before, after = Desk(), FakeSource(mirror()), FakeSource(mirror(prompts=1))
    desk.answers(before, before.tick(NOW), (MarkQuestion(1),))
    (found,) = desk.answers(after, after.tick(NOW + 5 * SECOND), (MarkQuestion(1), CompareQuestion()))
    assert isinstance(found, Comparison)
    assert found.mark is not None and found.mark.at == NOW
    assert any(change.node == -1 for change in found.changes)
    (again,) = desk.answers(before, before.tick(NOW + 6 * SECOND), (MarkQuestion(1), CompareQuestion()))
    assert isinstance(again, Comparison) and not again.changes


@pytest.mark.parametrize(
    ("change", "words"),
    [(-0.0004, "0.0 points"), (0.0006, "+0.1 points"), (-0.0991, "-9.9 points"), (0.22, "+22 points")],
)
def test_a_change_that_rounds_to_nothing_has_no_sign(change: float, words: str) -> None:
    assert points(change) == words


def test_the_answer_in_words() -> None:
    words = "since the mark 42s ago: hit rate 70.0% → 48.0% (-22 points), evictions 0/s → 310/s"
    found = marked().ask()
    assert plain([answer(found, 90)]) == [words]
    assert plain([answer(found, 70)]) == [words.partition(", ev")[0]]
    assert plain([answer(found, 36)]) == ["42s: hit 70.0% → 48.0% (-22)"]


def test_rows_say_what_is_worse() -> None:
    rows = {row.name: row for row in rows_of(marked().ask())}
    assert (rows["hit rate"].change, rows["hit rate"].trend) == ("-22 points", -1)
    assert (rows["evictions"].change, rows["evictions"].trend, rows["evictions"].total) == ("+310/s", -1, "13,020")
    assert (rows["queried tokens"].direction, rows["queried tokens"].trend) == (0, 0)


def test_the_newest_mark_counts() -> None:
    watch = marked()
    watch.mark()
    assert watch.ask().since.ns == 0 and watch.ask().before.ratio("hit", "queried") != 0.7
    assert plain([answer(watch.ask(), 90)]) == ["since the mark 0.0s ago: nothing is known yet"]


def test_without_a_mark_everything_since_the_beginning_is_shown() -> None:
    watch = Watch()
    watch.pass_second()
    found = watch.ask()
    assert plain([answer(found, 99)])[0].startswith("no moment is marked yet: m marks this one")
    rows = {row.name: row for row in rows_of(found)}
    assert (rows["hit rate"].before, rows["hit rate"].after, rows["hit rate"].change) == ("-", "75.0%", "-")


def test_of_a_source_that_counts_nothing_the_tree_alone_is_compared() -> None:
    watch = Watch()
    watch.samples = {"tree_shape": watch.samples["tree_shape"]}
    watch.mark()
    watch.now += SECOND
    lines = plain(compare_lines(watch.ask(), 80))
    assert lines[0] == "since the mark 1.0s ago: - no rates are told: the tree is compared"
    assert [line.split()[0] for line in lines[2:5]] == ["nodes", "tokens", "tombstones"]
    assert not any("hit rate" in line for line in lines)


def test_a_moment_before_the_mark_is_not_compared() -> None:
    watch = marked()
    watch.now -= 50 * SECOND
    assert watch.ask().is_ahead
    assert plain([answer(watch.ask(), 90)]) == ["the mark is 8.0s later than the moment shown: nothing to compare"]


def test_counts_that_began_anew_are_not_compared() -> None:
    watch = marked()
    watch.since += 1
    found = watch.ask()
    assert not found.since.sums and {row.after for row in rows_of(found) if "rate" in row.name} == {"-"}


def test_prefixes_that_grew_are_named() -> None:
    watch = marked()
    assert watch.source.mirror is not None
    watch.source.mirror.apply(node(700, 1, 2_055, 400))
    text = "\n".join(plain(compare_lines(watch.ask(), 120)))
    assert "+400 ████████ system prompt 0" in text.replace("    ", " ") or "+400" in text
    assert "2,561 → 2,961" in text


def test_without_a_tree_there_are_figures_all_the_same() -> None:
    watch = Watch()
    watch.source.mirror = None
    watch.mark()
    watch.pass_second()
    assert watch.ask().changes == () and watch.ask().since.ns == SECOND


def test_every_width_has_lines_that_fit() -> None:
    watch = marked()
    tree: Mirror | None = watch.source.mirror
    assert tree is not None
    tree.apply(node(700, 1, 2_055, 400))
    for width in (1, 20, 36, 57, 76, 108, 139, 196):
        for comparison in (watch.ask(), Watch().ask(), None):
            for line in compare_lines(comparison, width):
                assert width_of(fit(line, width)) == width

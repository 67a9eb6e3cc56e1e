"""What left and came back, found by content keys; against a model that knows every token."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from cache_core.events import NodeMarked
from probes.lives.returns import Return, Returns
from probes.mirroring.node import MirrorNode
from tests.support.made_nodes import made_below
from tests.support.records import added

FULL, SWA, BOTH = 1, 2, 3
TURN = 10
Path = tuple[int, ...]


def key(path: Path) -> int:
    return hash(path) & (1 << 62) - 1


def node(path: Path, start: int = 0) -> MirrorNode:
    """Return the node of a path's turns from `start` on, under one that ends there."""
    length = (len(path) - start) * TURN
    return made_below(key(path[:start]), added(1, 0, length, start=start * TURN, content_key=key(path)))


def test_what_left_and_is_back_in_time_is_told_once() -> None:
    returns = Returns(within_ns=100)
    returns.left(node((1,)), BOTH, at=10)
    assert returns.came(node((1,)), BOTH, at=70) == [Return(60, 10, BOTH)]
    assert returns.came(node((1,)), BOTH, at=80) == ()


def test_what_is_back_too_late_is_not_told() -> None:
    returns = Returns(within_ns=100)
    returns.left(node((1,)), FULL, at=10)
    assert returns.came(node((1,)), FULL, at=111) == []


def test_components_that_left_apart_come_back_apart() -> None:
    returns = Returns(within_ns=100)
    returns.left(node((1,)), SWA, at=10)
    returns.left(node((1,)), FULL, at=20)
    assert returns.came(node((1,)), FULL, at=30) == [Return(10, 10, FULL)]
    assert returns.came(node((1,)), BOTH, at=40) == [Return(30, 10, SWA)]


def test_two_that_left_come_back_as_one_node() -> None:
    returns = Returns(within_ns=100)
    returns.left(node((1, 2), start=1), FULL, at=10)
    returns.left(node((1,)), FULL, at=20)
    assert returns.came(node((1, 2)), FULL, at=30) == [Return(20, 10, FULL), Return(10, 10, FULL)]


def test_a_window_that_left_before_a_cut_comes_back_in_two_parts() -> None:
    returns = Returns(within_ns=100)
    returns.left(node((1, 2)), SWA, at=10)
    returns.split(key((1, 2)), key((1,)), TURN)
    assert returns.came(node((1,)), SWA, at=20) == [Return(10, 10, SWA)]
    assert returns.came(node((1, 2), start=1), SWA, at=30) == [Return(20, 10, SWA)]


def test_of_too_many_the_oldest_are_given_up_and_counted() -> None:
    returns = Returns(within_ns=100, most=2)
    for turn in range(4):
        returns.left(node((turn,)), BOTH, at=turn)
    assert (len(returns), returns.unfollowed_tokens) == (2, 2 * 10 * 2)
    assert returns.came(node((1,)), BOTH, at=5) == ()


def test_what_may_still_come_back_is_known_by_component_and_namespace() -> None:
    returns = Returns(within_ns=100)
    returns.left(node((1,)), BOTH, at=10)
    returns.left(node((2,)), SWA, at=50)
    assert returns.undecided_tokens(90, 1) == Counter({0: 20})
    assert returns.undecided_tokens(120, 0) == Counter()


@dataclass
class Tokens:
    """Knows of each turn of each component when it left."""

    within: int
    gone: dict[tuple[int, Path], int] = field(default_factory=dict)

    def left(self, path: Path, start: int, live: int, at: int) -> None:
        for bit in (FULL, SWA):
            for end in range(start + 1, len(path) + 1):
                if live & bit:
                    self.gone[bit, path[:end]] = at

    def came(self, path: Path, start: int, live: int, at: int) -> int:
        """Return how many tokens are back, of all components."""
        back = 0
        for bit in (FULL, SWA):
            for end in range(start + 1, len(path) + 1):
                left = self.gone.pop((bit, path[:end]), None) if live & bit else None
                back += TURN * (left is not None and at - left <= self.within)
        return back


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["left", "came"]),
        st.lists(st.integers(0, 1), min_size=1, max_size=3).map(tuple),
        st.integers(0, 2),
        st.sampled_from([FULL, SWA, BOTH]),
        st.integers(0, 40),
    ),
    max_size=40,
)


def inner_keys(path: Path, start: int) -> tuple[int, ...]:
    """Return the keys at the ends of all turns of a node but the last."""
    return tuple(key(path[:end]) for end in range(start + 1, len(path)))


def run(steps: list[tuple[str, Path, int, int, int]], turns: int | None, marks: bool = False) -> tuple[int, int]:
    """Return the tokens that are back, as Returns and as the model know it; nodes are of so many turns, or of any."""
    returns, model = Returns(within_ns=100), Tokens(100)
    found = meant = at = 0
    for what, path, start, live, pause in steps:
        at += pause
        start = len(path) - turns if turns else min(start, len(path) - 1)
        told = NodeMarked(0, (start + 1) * TURN, TURN, inner_keys(path, start)) if marks else None
        back = returns.came(node(path, start), live, at, told)  # what leaves has come before
        found += sum(each.tokens * each.live.bit_count() for each in back)
        meant += model.came(path, start, live, at)
        if what == "left":
            returns.left(node(path, start), live, at, inner_keys(path, start) if marks else ())
            model.left(path, start, live, at)
    return found, meant


@given(STEPS)
@settings(max_examples=150)
def test_nodes_that_are_always_cut_alike_are_all_found(steps: list[tuple[str, Path, int, int, int]]) -> None:
    found, meant = run(steps, turns=1)
    assert found == meant


@given(STEPS)
@settings(max_examples=150)
def test_never_is_more_told_than_came_back(steps: list[tuple[str, Path, int, int, int]]) -> None:
    found, meant = run(steps, turns=None)
    assert found <= meant


@given(STEPS)
@settings(max_examples=150)
def test_with_keys_inside_nodes_never_is_more_told_than_came_back(
    steps: list[tuple[str, Path, int, int, int]],
) -> None:
    found, meant = run(steps, turns=None, marks=True)
    assert found <= meant


def marked(path: Path, start: int = 0) -> NodeMarked:
    return NodeMarked(0, (start + 1) * TURN, TURN, inner_keys(path, start))


def test_a_longer_node_that_goes_the_same_way_brings_back_all_of_it() -> None:
    returns = Returns(within_ns=100)
    returns.left(node((1, 2)), BOTH, at=10)
    assert returns.came(node((1, 2, 3)), BOTH, at=30, marks=marked((1, 2, 3))) == [Return(20, 20, BOTH)]


def test_a_node_that_leaves_the_way_brings_back_what_lies_before() -> None:
    returns = Returns(within_ns=100)
    returns.left(node((1, 2, 3)), BOTH, at=10, inside=inner_keys((1, 2, 3), 0))
    assert returns.came(node((1, 2, 4)), BOTH, at=30, marks=marked((1, 2, 4))) == [Return(20, 20, BOTH)]
    assert returns.came(node((1, 2, 3), start=2), BOTH, at=40) == [Return(30, 10, BOTH)]


def test_what_is_above_comes_back_with_it() -> None:
    returns = Returns(within_ns=100)
    returns.left(node((1, 2, 3), start=1), FULL, at=10, inside=inner_keys((1, 2, 3), 1))
    returns.left(node((1,)), FULL, at=20)
    back = returns.came(node((1, 2, 4)), FULL, at=30, marks=marked((1, 2, 4)))
    assert back == [Return(20, 10, FULL), Return(10, 10, FULL)]


def test_a_component_that_does_not_come_back_stays_gone_as_a_whole() -> None:
    returns = Returns(within_ns=100)
    returns.left(node((1, 2)), BOTH, at=10, inside=inner_keys((1, 2), 0))
    assert returns.came(node((1, 3)), FULL, at=20, marks=marked((1, 3))) == [Return(10, 10, FULL)]
    assert {*returns.came(node((1, 2)), BOTH, at=30)} == {Return(20, 10, FULL), Return(20, 20, SWA)}


def test_what_is_known_of_the_inside_is_forgotten_with_time() -> None:
    returns = Returns(within_ns=100)
    for turn in range(100):
        returns.left(node((turn, 2)), BOTH, at=50 * turn, inside=inner_keys((turn, 2), 0))
    assert len(returns) < 5 and returns.inner_keys < 10

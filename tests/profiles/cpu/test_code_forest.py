"""Stacks as a forest: every sample at its place."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from profiles.cpu.code_forest import WEIGHT, code_forest
from profiles.cpu.format import Samples
from profiles.cpu.stacks import CodeFrame
from profiles.pruned import prune

PERIOD_NS = 10_000_000
FRAMES = st.sampled_from([CodeFrame(name, "a.py", line) for name in "fgh" for line in (1, 2)])
STACKS = st.dictionaries(st.lists(FRAMES, min_size=1, max_size=5).map(tuple), st.integers(1, 9), max_size=12)


@given(STACKS)
def test_a_forest_holds_each_stack_with_its_time(stacks: dict[tuple[CodeFrame, ...], int]) -> None:
    forest = code_forest(Samples("python serve.py", stacks, PERIOD_NS))
    path: list[str] = []
    found: Counter[tuple[str, ...]] = Counter()
    for row in prune(forest, None):
        path[row.depth :] = [row.label]
        found[tuple(path)] += row.own[0]
    assert +found == Counter({tuple(map(str, stack)): count * PERIOD_NS for stack, count in stacks.items()})
    assert forest.whole(WEIGHT) == sum(stacks.values()) * PERIOD_NS


def test_a_function_has_one_key_wherever_it_stands() -> None:
    f, g = CodeFrame("f", "a.py", 1), CodeFrame("g", "a.py", 2)
    frames = code_forest(Samples("", {(f, g): 1, (g,): 1}, PERIOD_NS)).frames
    keys = {(frame.label, frame.key) for frame in frames}
    assert (len(frames), len(keys)) == (3, 2)

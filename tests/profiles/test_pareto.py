"""The front of choices against a look at all pairs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from profiles.tallies.pareto import Choice, front

CHOICES = st.lists(
    st.builds(Choice, st.integers(0, 4).map(float), st.tuples(st.integers(0, 4), st.integers(0, 2))), max_size=12
)


def test_of_two_that_give_the_same_the_cheaper_one_is_on_the_front() -> None:
    assert front([Choice(0.5, (200,)), Choice(0.5, (100,)), Choice(0.6, (300,))]) == [1, 2]


def test_equal_choices_are_all_on_the_front() -> None:
    assert front([Choice(0.5, (100,)), Choice(0.5, (100,))]) == [0, 1]


@given(CHOICES)
def test_whatever_is_not_on_the_front_is_beaten_by_something_that_is(choices: list[Choice]) -> None:
    ahead = {place: choices[place] for place in front(choices)}
    for place, choice in enumerate(choices):
        better = [
            other for other in ahead.values()
            if other != choice and other.gain >= choice.gain
            and all(mine <= theirs for mine, theirs in zip(other.costs, choice.costs, strict=True))
        ]  # fmt: skip
        assert (place in ahead) == (not better)

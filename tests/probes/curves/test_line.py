"""Requests have their turns in the order of their admission, once they are known."""

from __future__ import annotations

from probes.curves.line import Admitted, Line


def admitted(at: int) -> Admitted:
    return Admitted(at, prompt_tokens=10, own_tokens=(0, 0), decided_at=8)


def test_who_is_known_waits_for_those_before() -> None:
    line, requests = Line(), [admitted(at) for at in range(3)]
    for number, each in enumerate(requests):
        line.join(number, each)
    requests[1].reaches(1, 8)
    assert [*line.turns()] == []
    requests[0].reaches(2, 9)
    assert [each.at for each in line.turns()] == [0, 1]
    assert [each.is_served for each in requests] == [True, True, False]


def test_less_than_is_known_is_no_news() -> None:
    each = admitted(0)
    assert each.reaches(5, 4)
    assert not each.reaches(6, 3)
    assert (each.name, each.known_tokens, each.is_decided) == (5, 4, False)


def test_behind_one_that_is_never_known_not_everybody_waits() -> None:
    line = Line(most_waiting=4)
    for number in range(6):
        line.join(number, admitted(number))
    assert [each.at for each in line.turns()] == [0, 1]


def test_who_never_ends_is_given_up_in_time() -> None:
    line = Line(most_waiting=1 << 20)
    for number in range(10_000):
        line.join(number, admitted(number))
    assert len(line.running) <= 4_096
    assert len([*line.turns()]) + len(line.running) == 10_000

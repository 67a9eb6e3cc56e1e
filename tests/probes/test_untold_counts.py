"""A count that a source does not tell is -1 in its record: nothing adds that up, in any probe or report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from cache_core.events import (
    Evict,
    Insert,
    Match,
    NodeAdded,
    Record,
    RequestAdmitted,
    RequestFinished,
    RequestQueued,
    RequestRetracted,
)
from probes.mirror import Mirror
from probes.probe import OF_SERVERS, PROBES
from profiles.report import REPORTS, read
from tests.support.listed_profile import COMPONENTS, ListedProfile
from tests.support.records import ALL_CLASSES, record

S = 1_000_000_000
UNTOLD = [
    *((Match, field) for field in ("full_hit_tokens", "nodes_walked")),
    *((Insert, field) for field in ("duplicate_tokens", "swa_from", "branch_inserted")),
    *((Evict, field) for field in (
        "leaves_considered", "queue_build_ns", "pops", "stale_pops", "victims", "cascades")),
    *((RequestAdmitted, field) for field in ("recomputed_tokens", "new_tokens")),
    (RequestRetracted, "recomputed_tokens"),
]  # fmt: skip
"""What a probe in an engine's process may not know."""

OF_KNOWN_REQUESTS = {"request_log", "tenants"}
"""Leave out requests of which something is not told."""


def stream(untold: type, field: str, value: int) -> list[Record]:
    """Return what happens to a few requests, with a value in a field of all records of a class."""
    happened: list[Record] = []

    def happens(kind: type, **more: Any) -> None:
        happened.append(record(kind, **{**more, **({field: value} if kind is untold else {})}))

    happens(NodeAdded, at=S, node=1, length=64)
    for i in range(5):
        at = 2 * S + i * S // 10
        happens(RequestQueued, at=at, request=i, prompt_tokens=101)
        happens(Match, at=at + 1, duration_ns=10, request=i, queried_tokens=100, node=1, full_node=1)
        happens(RequestAdmitted, at=at + 2, request=i, prompt_tokens=101)
        happens(Insert, at=at + 3, duration_ns=10, request=i, key_tokens=101, new_tokens=101, node=1)
        happens(Evict, at=at + 4, duration_ns=10, asked_tokens=10, freed_tokens=(0, 0))
        happens(*((RequestRetracted,) if i == 2 else (RequestFinished,)), at=at + 5, request=i)
    return happened


def numbers(value: object, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield every number in a sample, with its place; records that are kept as they came are none of a sum."""
    if is_dataclass(value):
        for field in fields(value):
            yield from numbers(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from numbers(each, f"{path}[{name}]")
    elif isinstance(value, list | tuple) and type(value) not in ALL_CLASSES:
        for place, each in enumerate(value):
            yield from numbers(each, f"{path}[{place}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def sampled(name: str, records: list[Record]) -> object:
    mirror = Mirror(COMPONENTS)
    probe = PROBES.load(name)(mirror)
    probe.configured({"components": COMPONENTS, "window": 16})
    before, folds = probe.before(), probe.folds()
    for each in records:
        for fold in (before, mirror.folds, folds):
            if type(each) in fold:
                fold[type(each)](each)
    return probe.sample(4 * S)


def reported(name: str, records: list[Record]) -> object:
    return read(ListedProfile(records), REPORTS.load(name))


def assert_untouched(of: Callable[[list[Record]], object]) -> None:
    """Raise AssertionError if a sum is less where a count is not told than where it is told to be 0."""
    for kind, field in UNTOLD:
        told, untold = (dict(numbers(of(stream(kind, field, value)))) for value in (0, -1))
        less = {path for path, number in untold.items() if number < told.get(path, 0)}
        assert not less, f"{kind.__name__}.{field}"


@pytest.mark.parametrize("name", sorted(set(PROBES) - OF_SERVERS - OF_KNOWN_REQUESTS - {"tree_mirror"}))
def test_a_count_that_is_not_told_lowers_no_sum_of_a_probe(name: str) -> None:
    assert_untouched(lambda records: sampled(name, records))


@pytest.mark.parametrize("name", sorted(set(REPORTS) - OF_KNOWN_REQUESTS))
def test_a_count_that_is_not_told_lowers_no_sum_of_a_report(name: str) -> None:
    assert_untouched(lambda records: reported(name, records))


def test_a_gap_that_is_not_told_is_not_shown_as_none() -> None:
    matches, admissions = (
        stream(*untold, -1) for untold in ((Match, "full_hit_tokens"), (RequestAdmitted, "recomputed_tokens"))
    )
    hits = sampled("hit_rate", admissions)
    assert (hits.total.full_hit_tokens, hits.last_minute.gap_tokens, hits.total.full_hit_rate) == (None, None, None)
    assert {*hits.full_history} == {None}
    assert hits.total.queried_tokens == 505
    assert sampled("branching", matches).recomputed_tokens is None
    windows = sampled("windows", matches)
    assert (windows.gaps, windows.recomputed_tokens, windows.recomputed_total_tokens) == (None, None, None)
    assert reported("branching", matches).recomputed_tokens is None


def test_counts_of_evictions_that_are_not_told_are_none_in_the_report() -> None:
    costs = reported("evict", stream(Evict, "victims", -1))
    assert (costs.victims, costs.components[0].victims, costs.cascades) == (None, None, 0)

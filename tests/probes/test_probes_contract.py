"""What holds for every probe of the table, new ones included."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.events import Record
from probes.probe import PROBES, Probe
from tests.support.observing import probe_of
from tests.support.records import ALL_CLASSES, OF_ENGINES, added, record

S = 1_000_000_000
CLASSES = ALL_CLASSES | OF_ENGINES


@pytest.fixture(params=PROBES.names)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def one_of_each(at: int) -> list[Record]:
    """Return a record of every class, a node first, so that the others may speak of it."""
    records: list[Record] = [added(1, 0, 4, at=at)]
    for cls in sorted(CLASSES, key=lambda cls: cls.__name__):
        known = {"at": at, "node": 1}
        records.append(record(cls, **{name: known[name] for name in cls._fields if name in known}))
    return records


def observed(name: str, records: list[Record]) -> Probe:
    return probe_of(PROBES.load(name), records, ("full",))


def test_a_probe_needs_records_that_exist(name: str) -> None:
    needs = PROBES.load(name).needs
    assert needs
    assert needs <= CLASSES


def test_a_probe_takes_only_records_that_exist(name: str) -> None:
    probe = observed(name, [])
    assert probe.folds().keys() | probe.before().keys() <= CLASSES


def test_a_probe_is_named_for_its_module_and_states_one_frozen_sample_class(name: str) -> None:
    sample = observed(name, one_of_each(S)).sample(S)
    assert is_dataclass(sample)
    assert type(sample).__module__ == f"probes.builtin.{name}"
    assert type(sample).__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert not hasattr(sample, "__dict__")


def test_a_sample_before_the_first_record_knows_no_quantile_no_rate_and_no_past(name: str) -> None:
    sample = observed(name, []).sample(S)
    if sample is None:
        return
    for field in fields(sample):
        value = getattr(sample, field.name)
        if field.name.endswith("history") and name != "tree_shape":
            assert set(value) == {None}, field.name
        if field.name.endswith("per_s"):
            assert value is None, field.name
        if hasattr(value, "p50"):
            assert (value.count, value.mean, value.p50, value.p99) == (0, None, None, None), field.name


def test_every_history_is_a_minute_long(name: str) -> None:
    sample = observed(name, one_of_each(S)).sample(2 * S)
    assert sample is not None
    for field in fields(sample):
        value = getattr(sample, field.name)
        if field.name.endswith("history"):
            assert [len(points) for points in (value.values() if hasattr(value, "values") else [value])] == [60]


def test_sampling_changes_nothing(name: str) -> None:
    probe = observed(name, one_of_each(S))
    assert probe.sample(2 * S) == probe.sample(2 * S)


def test_a_loss_is_survived_and_keeps_counts(name: str) -> None:
    probe = observed(name, one_of_each(S))
    before = probe.sample(2 * S)
    probe.lost()
    after = probe.sample(2 * S)
    for count in ("opened", "calls", "admitted", "finished", "total", "records", "cost"):
        assert getattr(after, count, None) == getattr(before, count, None)


@given(st.data())
def test_no_order_of_records_upsets_a_probe(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(PROBES.names))
    records = data.draw(st.permutations(one_of_each(S) * 2))
    probe = observed(name, records)
    assert is_dataclass(probe.sample(S))

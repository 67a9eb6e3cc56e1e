"""The tables in pandas."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import pytest

from profiles.profile import RecordedProfile
from profiles.recording import Recording
from profiles.tables.events import event_name
from tests.support.exporting import Exported

pytestmark = pytest.mark.needs("pandas", "pyarrow")


def test_events_are_counted_by_kind(recording: Path, exported: Exported) -> None:
    import pandas

    frame = pandas.read_parquet(exported("parquet"))
    with Recording(recording) as records:
        kinds = Counter(event_name(type(record)) for record in records.records())
    assert dict(frame.event.value_counts()) == {name: kinds[name] for name in frame.event.unique()}
    assert str(frame.date.dtype) == "datetime64[ns, UTC]"
    evicts = frame[frame.event == "evict"].dropna(axis=1, how="all")
    assert (evicts.queue_build_ns <= evicts.duration_ns).all()
    assert "queried_tokens" not in evicts.columns


def test_nodes_add_up_and_join_events(recording: Path, exported: Exported) -> None:
    import pandas

    nodes = pandas.read_parquet(exported("parquet", table="nodes"))
    events = pandas.read_parquet(exported("parquet", table="events"))
    with RecordedProfile(recording) as profile:
        assert nodes.tokens.sum() == sum(profile.forest.weights["tokens"])
    assert nodes.content.is_unique
    roots = nodes[nodes.parent.isna()]
    assert roots.hits_total.sum() == nodes.hits.sum()
    gone = events[events.event == "node_removed"].merge(nodes, on="content")
    assert len(gone) == (events.event == "node_removed").sum()


@pytest.mark.parametrize("table", ["events", "nodes"])
def test_csv_is_read_as_the_same_table(table: str, exported: Exported) -> None:
    import pandas

    from_parquet = pandas.read_parquet(exported("parquet", table=table))
    from_csv = pandas.read_csv(io.BytesIO(exported("csv", table=table).read_bytes()), dtype={"content": str})
    assert list(from_csv.columns) == list(from_parquet.columns)
    assert len(from_csv) == len(from_parquet)
    for column in from_parquet.select_dtypes("number").columns:
        assert from_csv[column].sum() == from_parquet[column].sum()

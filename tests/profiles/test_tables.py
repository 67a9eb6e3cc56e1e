"""The tables of a profile, and the formats that they are written in."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core import events as ev
from cache_core.registry import UnknownNameError
from probes.content_hash import content_hash
from probes.errors import RecordingError
from profiles.dates import iso_date
from profiles.exporter import EXPORTERS, ExportError, ExportOptions, export
from profiles.exporters.csv_table import safe
from profiles.exporters.markdown import safe as safe_markdown
from profiles.growth.forest_builder import grow
from profiles.profile import ForestProfile, Profile
from profiles.table import TABLES, Cell, Table
from tests.support.forests import small_forest
from tests.support.golden import assert_golden
from tests.support.records import ALL_CLASSES, added, record
from tests.support.timed_run import CONFIG, timed_profile, timed_run

GOLDENS = Path(__file__).parent / "goldens"
SMALL = ForestProfile(small_forest())


def table_of(profile: Profile, name: str = "events") -> list[dict[str, Cell]]:
    """Return the rows of a table by the names of the columns."""
    table: Table = TABLES.load(name)(profile)
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def written(profile: Profile, format: str, table: str | None = None) -> bytes:
    out = io.BytesIO()
    export(profile, format, ExportOptions(table=table), out)
    return out.getvalue()


def rows_of(raw: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(raw.decode("utf-8"), newline="")))


@pytest.mark.parametrize("name", TABLES)
class TestEveryTable:
    def test_cells_are_of_the_kind_of_their_column(self, name: str) -> None:
        kinds: Mapping[str, type] = {"integer": int, "date": int, "text": str, "truth": bool}
        for profile in (timed_profile(timed_run()), timed_profile([])):
            table = TABLES.load(name)(profile)
            assert len({column.name for column in table.columns}) == len(table.columns)
            for row in table.rows:
                for cell, column in zip(row, table.columns, strict=True):
                    assert cell is None or type(cell) is kinds[column.kind], column

    def test_a_row_is_made_when_it_is_read(self, name: str) -> None:
        table = TABLES.load(name)(timed_profile(timed_run() * 2))
        assert next(table.rows) is not None


class TestEvents:
    def test_there_is_a_row_per_operation_and_request_record_in_their_order(self) -> None:
        rows = table_of(timed_profile(timed_run()))
        assert [row["event"] for row in rows[:4]] == ["pool", "request_queued", "schedule_pass", "match"]
        assert len(rows) == len([each for each in timed_run() if hasattr(each, "at")]) - 2  # a node and a lock

    def test_every_kind_of_record_has_rows_or_is_known_to_have_none(self) -> None:
        from profiles.tables.events import KINDS

        told_elsewhere = {
            ev.NodeAdded, ev.NodeSplit, ev.NodeTouched, ev.NodeLabelled, ev.NodeMarked, ev.NodeForked,
            ev.NodeTokenKeys, ev.NodeTiers, ev.Lock, ev.Unlock, ev.Namespace, ev.Label,
        }  # fmt: skip
        assert set(KINDS) == ALL_CLASSES - told_elsewhere

    def test_what_is_not_known_is_nothing_and_not_zero(self) -> None:
        rows = {str(row["event"]): row for row in table_of(timed_profile(timed_run()))}
        assert rows["evict"]["duration_ns"] is None  # the last one, which nobody timed
        assert rows["request_refused"]["device_hit_tokens"] is None
        assert rows["pool"]["request"] is None

    def test_nothing_is_told_from_minus_one_and_zero_stays(self) -> None:
        first, second = [row for row in table_of(timed_profile(timed_run())) if row["event"] == "match"]
        assert (first["branching_point"], second["branching_point"]) == (None, 48)
        assert (first["device_hit_tokens"], second["device_hit_tokens"]) == (0, 32)

    def test_numbers_that_stand_for_names_are_names(self) -> None:
        rows = table_of(timed_profile(timed_run()))
        by_event = {str(row["event"]): row for row in rows}
        assert by_event["insert"]["namespace"] == "adapter； =1"
        assert by_event["tombstoned"]["component"] == "swa"
        assert by_event["request_retracted"]["reason"] == "out of slots"
        assert (by_event["timing"]["operation"], by_event["timing"]["phase"]) == ("lock", "whole")

    def test_freed_tokens_have_a_column_per_component(self) -> None:
        freed = [row["freed_swa_tokens"] for row in table_of(timed_profile(timed_run())) if row["event"] == "evict"]
        assert freed == [48, 0]

    def test_nodes_go_by_their_content_even_the_one_that_leaves(self) -> None:
        rows = {str(row["event"]): row for row in table_of(timed_profile(timed_run()))}
        assert {rows[name]["content"] for name in ("insert", "tombstoned", "node_removed")} == {content_hash(11)}

    def test_the_content_of_an_event_is_that_of_a_node(self) -> None:
        profile = timed_profile(timed_run())
        nodes = {row["content"] for row in table_of(profile, "nodes")}
        assert {row["content"] for row in table_of(profile) if row["content"] is not None} <= nodes

    def test_a_split_node_and_a_reset_are_followed(self) -> None:
        records = [
            added(1, 0, 8, content_key=5),
            record(ev.NodeSplit, node=1, upper=2, length=3, content_key=6),
            record(ev.Match, at=1, node=2),
            record(ev.CacheReset, at=2),
            record(ev.Match, at=3, node=2),
        ]
        assert [row["content"] for row in table_of(timed_profile(records))] == [content_hash(6), None, None]

    def test_a_run_without_an_anchor_has_no_dates(self) -> None:
        assert {row["date"] for row in table_of(timed_profile(timed_run(), {}))} == {None}
        assert table_of(timed_profile(timed_run()))[0]["date"] == CONFIG["anchor"][1] + 1_000  # type: ignore[index]

    def test_a_profile_without_records_says_so(self) -> None:
        with pytest.raises(RecordingError, match="only the tree is here"):
            table_of(SMALL)


class TestNodes:
    def test_parents_come_first_and_are_named_by_content(self) -> None:
        seen: set[Cell] = {None}
        for row in table_of(SMALL, "nodes"):
            assert row["parent"] in seen
            seen.add(row["content"])

    def test_the_columns_of_weights_add_up_to_the_forest(self) -> None:
        rows = table_of(SMALL, "nodes")
        for weight, column in small_forest().weights.items():
            if weight != "time_ns":
                assert sum(int(row[weight] or 0) for row in rows) == sum(column)

    def test_a_namespace_is_a_column_and_no_row(self) -> None:
        rows = table_of(SMALL, "nodes")
        assert [row["segment"] for row in rows if row["namespace"] == "adapter 1"] == ["system prompt 2"]
        assert {row["depth"] for row in rows if row["parent"] is None} == {0}

    def test_what_left_the_cache_is_not_resident(self) -> None:
        assert [row["segment"] for row in table_of(SMALL, "nodes") if not row["resident"]] == ["question 1"]


class TestCsv:
    def test_the_tables_of_small_runs_are_the_golden_files(self) -> None:
        events = written(timed_profile(timed_run()), "csv").decode()
        nodes = written(SMALL, "csv", "nodes").decode()
        assert_golden(events.replace("\r\n", "\n").rstrip("\n"), GOLDENS / "timed_run.events.csv")
        assert_golden(nodes.replace("\r\n", "\n").rstrip("\n"), GOLDENS / "small.nodes.csv")

    def test_lines_end_as_the_standard_asks(self) -> None:
        raw = written(SMALL, "csv", "nodes")
        assert raw.count(b"\r\n") == raw.count(b"\n") == len(table_of(SMALL, "nodes")) + 1

    @given(st.text(max_size=12))
    def test_no_text_is_a_formula_and_any_text_comes_back(self, text: str) -> None:
        assert not safe(text).lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
        assert safe(text).removeprefix("'") == text.removeprefix("'")

    def test_names_are_made_safe(self) -> None:
        space = record(ev.Namespace, id=9, text="=HYPERLINK(1)")
        raw = written(timed_profile([space, record(ev.Match, at=1, namespace=9)]), "csv")
        header, row = rows_of(raw)
        assert row[header.index("namespace")] == "'=HYPERLINK(1)"

    def test_more_rows_than_a_piece_are_all_written(self) -> None:
        records = [record(ev.CacheReset, at=at) for at in range(1, 2_501)]
        assert [row[1] for row in rows_of(written(timed_profile(records), "csv"))[1:]] == [*map(str, range(1, 2_501))]

    @pytest.mark.parametrize(("ns", "date"), [(0, "1970-01-01T00:00:00.000000000Z"), (10**30, ""), (-(10**30), "")])
    def test_a_date_is_one_of_the_calendar_or_nothing(self, ns: int, date: str) -> None:
        assert iso_date(ns) == date


class TestMarkdown:
    def test_the_summaries_of_small_runs_are_the_golden_files(self) -> None:
        assert_golden(written(timed_profile(timed_run()), "markdown").decode().rstrip("\n"), GOLDENS / "timed_run.md")
        assert_golden(written(SMALL, "markdown").decode().rstrip("\n"), GOLDENS / "small.md")

    def test_a_table_may_be_asked_for_alone(self) -> None:
        events = written(timed_profile(timed_run()), "markdown", "events").decode()
        nodes = written(timed_profile(timed_run()), "markdown", "nodes").decode()
        assert "## Operations" in events
        assert "## Totals" not in events
        assert "## Totals" in nodes
        assert "## Operations" not in nodes

    def test_events_that_were_asked_for_and_are_not_there_are_refused(self) -> None:
        with pytest.raises(RecordingError):
            written(SMALL, "markdown", "events")

    def test_markup_in_names_is_text(self) -> None:
        assert safe_markdown("a|b <c> `d` *e*") == r"a\|b \<c\> \`d\` \*e\*"

    def test_it_stays_short(self) -> None:
        records = [added(node, 0, 9, content_key=node) for node in range(1, 3_000)]
        assert len(written(ForestProfile(grow(records)), "markdown")) < 5_000


@pytest.mark.needs("pyarrow")
class TestParquet:
    def read(self, profile: Profile, table: str | None = None) -> Any:
        import pyarrow.parquet

        return pyarrow.parquet.ParquetFile(io.BytesIO(written(profile, "parquet", table)))

    @pytest.mark.parametrize("name", TABLES)
    def test_what_is_read_is_the_table(self, name: str) -> None:
        profile = timed_profile(timed_run())
        read = self.read(profile, name).read()
        if "date" in read.column_names:
            place = read.column_names.index("date")
            read = read.set_column(place, "date", read.column(place).cast("int64"))
        assert read.to_pylist() == table_of(profile, name)

    def test_a_long_table_is_written_group_by_group(self) -> None:
        records = [record(ev.CacheReset, at=at) for at in range(1, (1 << 15) + 2)]
        file = self.read(timed_profile(records))
        assert [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)] == [1 << 15, 1]

    def test_a_table_without_rows_has_its_columns(self) -> None:
        file = self.read(timed_profile([]))
        assert file.metadata.num_rows == 0
        assert "event" in file.schema_arrow.names

    def test_it_is_known_who_wrote_what(self) -> None:
        metadata = self.read(timed_profile(timed_run())).schema_arrow.metadata
        assert (metadata[b"writer"], metadata[b"title"]) == (b"radixtop", b"a timed run")


def test_without_pyarrow_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExportError, match=r"pip install 'radixtop\[parquet\]'"):
        written(SMALL, "parquet", "nodes")


def test_an_unknown_table_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(UnknownNameError, match="choose from: events, nodes"):
        written(SMALL, "csv", "trees")


@pytest.mark.parametrize("name", [name for name in EXPORTERS if name != "parquet"])
def test_the_same_profile_is_the_same_file(name: str) -> None:
    profile = timed_profile(timed_run())
    assert written(profile, name) == written(profile, name)

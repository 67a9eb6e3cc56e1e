"""Parquet, for pandas, polars, DuckDB and Spark; pyarrow writes it, which comes with the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any, BinaryIO

from profiles.exporter import Exporter, ExportError, ExportOptions
from profiles.labels import clean
from profiles.profile import Profile
from profiles.table import TABLES, Cell, Column

_ROWS_PER_GROUP = 1 << 15


class Parquet(Exporter):
    """One of the TABLES, a group of rows at a time; the events unless told."""

    suffix = ".parquet"
    shows = "tables"
    is_text = False

    def write(self, profile: Profile, options: ExportOptions, out: BinaryIO) -> None:
        """See Exporter. Raises ExportError where pyarrow is not installed."""
        arrow, parquet = _pyarrow()
        table = TABLES.load(options.table or "events")(profile)
        schema = _schema(arrow, table.columns, profile)
        with parquet.ParquetWriter(arrow.PythonFile(_Sink(out), mode="w"), schema) as writer:
            for rows in _groups(table.rows):
                columns = zip(*rows, strict=True)
                arrays = [arrow.array(cells, field.type) for cells, field in zip(columns, schema, strict=True)]
                writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


class _Sink:
    """A file that says how much was written to it: pyarrow asks, and a pipe does not know."""

    closed = False

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._size = 0

    def write(self, raw: bytes) -> int:
        """Write bytes and return how many."""
        self._out.write(raw)
        self._size += len(raw)
        return len(raw)

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self._size

    def flush(self) -> None:
        """Do nothing: the file is its owner's."""

    def close(self) -> None:
        """Do nothing: the file is its owner's."""


def _pyarrow() -> tuple[Any, Any]:
    """Return the modules pyarrow and pyarrow.parquet."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        hint = "pip install 'radixtop[parquet]', or export csv"
        raise ExportError(f"parquet needs pyarrow, which is not installed ({error})", hint) from error


def _schema(arrow: Any, columns: Sequence[Column], profile: Profile) -> Any:
    types = {
        "integer": arrow.int64(),
        "text": arrow.string(),
        "truth": arrow.bool_(),
        "date": arrow.timestamp("ns", tz="UTC"),
    }
    fields = [(column.name, types[column.kind]) for column in columns]
    return arrow.schema(fields, metadata={"writer": "radixtop", "title": clean(profile.title, unnamed="")})


def _groups(rows: Iterator[Sequence[Cell]]) -> Iterator[list[Sequence[Cell]]]:
    while group := list(islice(rows, _ROWS_PER_GROUP)):
        yield group

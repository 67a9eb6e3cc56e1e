"""Comma-separated values after RFC 4180: what spreadsheets and everything else read.

A name that a spreadsheet would take for a formula has an apostrophe in front, so that a file from elsewhere runs
nothing. Dates are ISO 8601 in UTC, what is not known is empty.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator

from profiles.dates import iso_date
from profiles.exporter import ExportOptions, TextExporter
from profiles.profile import Profile
from profiles.table import TABLES, Cell, Table

_ROWS_PER_PIECE = 1_000
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


class Csv(TextExporter):
    """One of the TABLES; the events unless told."""

    suffix = ".csv"
    shows = "tables"

    def pieces(self, profile: Profile, options: ExportOptions) -> Iterator[str]:
        """Yield the header and the rows."""
        table = TABLES.load(options.table or "events")(profile)
        written = io.StringIO()
        write = csv.writer(written, lineterminator="\r\n").writerow
        write(safe(column.name) for column in table.columns)
        for number, row in enumerate(_as_text(table), 1):
            write(row)
            if number % _ROWS_PER_PIECE == 0:
                yield written.getvalue()
                written.seek(0)
                written.truncate()
        yield written.getvalue()


def _as_text(table: Table) -> Iterator[list[object]]:
    convert: dict[str, Callable[[Cell], object]] = {
        "text": lambda cell: safe(str(cell)),
        "truth": lambda cell: "true" if cell else "false",
        "date": lambda cell: iso_date(int(cell)),  # type: ignore[arg-type]
    }
    as_text = [convert.get(column.kind) for column in table.columns]
    for row in table.rows:
        yield [
            cell if cell is None or change is None else change(cell)
            for cell, change in zip(row, as_text, strict=True)
        ]


def safe(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULAS) else text

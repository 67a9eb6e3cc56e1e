"""The format of pprof with both sides in one file: per weight the values before, after, and the change.

`go tool pprof -sample_index=tokens_change FILE` shows one of them. A change is below 0 where something shrank.
"""

from __future__ import annotations

from typing import BinaryIO

from profiles.diff.difference import Difference
from profiles.diff.format import DiffFormat, DiffOptions
from profiles.forest import UNITS
from profiles.pprof.messages import Head, write_pprof


class Pprof(DiffFormat):
    """Three sample types per weight; the change of the chosen one is the default."""

    suffix = ".pb.gz"
    is_text = False

    def write(self, difference: Difference, options: DiffOptions, out: BinaryIO) -> None:
        """See DiffFormat."""
        kinds = tuple(
            (f"{weight}_{side}", UNITS[weight])
            for weight in difference.weights
            for side in ("before", "after", "change")
        )
        title = f"{difference.before_title} -> {difference.after_title}"
        rows = (
            (row, [value for own in row.own for value in (own.before, own.after, own.delta)])
            for row in difference.rows(options.parts)
        )
        write_pprof(Head(title, kinds, f"{options.weight}_change"), rows, out)

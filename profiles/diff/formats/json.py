"""One JSON document for scripts: what changed on the whole, and every frame with its weights on both sides."""

from __future__ import annotations

from collections.abc import Iterator

from probes.content_hash import content_hash
from profiles.diff.difference import Change, ChangedRow, Difference
from profiles.diff.format import DiffOptions, TextDiffFormat
from profiles.forest import UNITS
from profiles.plain import json_text


class Json(TextDiffFormat):
    """Rows are depth-first; `parent` is the number of a row, -1 at the top; `own` is [before, after]."""

    suffix = ".json"

    def pieces(self, difference: Difference, options: DiffOptions) -> Iterator[str]:
        """Yield the document, a line per row."""
        head = {
            "before": difference.before_title,
            "after": difference.after_title,
            "weight": options.weight,
            "returned_tokens": difference.returned_tokens,
            "balance": {weight: _balance(difference.balance(weight), weight) for weight in difference.weights},
        }
        yield json_text(head, is_ascii=False)[:-1] + ', "rows": ['
        opening = "\n"
        for row in difference.rows(options.parts):
            yield opening + json_text(_row(row, difference.weights, options.weight), is_ascii=False)
            opening = ",\n"
        yield "\n]}\n"


def _balance(change: Change, weight: str) -> dict[str, object]:
    return {
        "unit": UNITS[weight],
        "before": change.before,
        "after": change.after,
        "kept": change.kept,
        "grown": change.grown,
        "shrunk": change.shrunk,
    }


def _row(row: ChangedRow, weights: tuple[str, ...], weight: str) -> dict[str, object]:
    frame = row.frame
    return {
        "parent": row.parent,
        "label": row.label,
        "key": None if frame is None else content_hash(frame.key),
        "start": None if frame is None else frame.start,
        "end": None if frame is None else frame.end,
        "status": row.own[weights.index(weight)].status,
        "own": {name: own[:2] for name, own in zip(weights, row.own, strict=True) if own.wide},
        "total": {name: total[:2] for name, total in zip(weights, row.total, strict=True) if total.wide},
    }

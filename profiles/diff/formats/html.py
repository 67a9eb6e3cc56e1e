"""The page of a flame graph with both sides in it: red and + for what grew, blue and - for what shrank."""

from __future__ import annotations

from collections.abc import Iterator

from profiles.diff.difference import Change, Difference
from profiles.diff.format import DiffOptions, TextDiffFormat
from profiles.page.columns import Columns, described
from profiles.page.document import document


class Html(TextDiffFormat):
    """The page, opened at the chosen weight."""

    suffix = ".html"

    def pieces(self, difference: Difference, options: DiffOptions) -> Iterator[str]:
        """Yield the page."""
        columns = Columns()
        own: list[list[Change]] = [[] for _ in difference.weights]
        for row in difference.rows(options.parts):
            columns.add(row)
            for changes, change in zip(own, row.own, strict=True):
                changes.append(change)
        title = f"{difference.before_title} → {difference.after_title}"
        payload = {
            "title": title,
            "about": ["what changed"],
            "sides": [difference.before_title, difference.after_title],
            "returned": difference.returned_tokens,
            "weights": described(difference.captions),
            "chosen": difference.weights.index(options.weight),
            **columns.entries(),
            "own": [[change.wide for change in changes] for changes in own],
            "before": [[change.before for change in changes] for changes in own],
            "after": [[change.after for change in changes] for changes in own],
        }
        yield from document(f"{title} · radixtop", payload)

"""A page to explore: an icicle on a canvas, all weights in one file that fetches nothing.

Search, zoom, switch weights, colours and themes are in the page's own script; see `profiles/page/`.
"""

from __future__ import annotations

from collections.abc import Iterator

from profiles.exporter import ExportOptions, TextExporter
from profiles.labels import clean
from profiles.page.columns import Columns, about, described
from profiles.page.document import document
from profiles.profile import Profile
from profiles.pruned import prune


class Html(TextExporter):
    """The page of a flame graph, opened at the chosen weight."""

    suffix = ".html"

    def pieces(self, profile: Profile, options: ExportOptions) -> Iterator[str]:
        """Yield the page."""
        forest = profile.forest
        columns = Columns()
        own: list[list[int]] = [[] for _ in forest.weights]
        for row in prune(forest, options.parts):
            columns.add(row)
            for values, value in zip(own, row.own, strict=True):
                values.append(value)
        title = clean(profile.title, unnamed="cache")
        payload = {
            "title": title,
            "about": about(profile.config),
            "weights": described({weight: forest.caption(weight) for weight in forest.weights}),
            "chosen": list(forest.weights).index(options.weight),
            **columns.entries(),
            "own": own,
        }
        yield from document(f"{title} · radixtop", payload)

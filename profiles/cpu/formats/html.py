"""The page of a flame graph, with functions for frames; see `profiles/page/`."""

from __future__ import annotations

from io import BytesIO

from profiles.cpu.code_forest import WEIGHT, code_forest
from profiles.cpu.format import CodeFormat, Samples


class Html(CodeFormat):
    """The page that shows a forest."""

    suffix = ".html"

    def render(self, samples: Samples) -> bytes:
        """See CodeFormat."""
        from profiles.exporter import ExportOptions, export
        from profiles.profile import ForestProfile

        out = BytesIO()
        export(ForestProfile(code_forest(samples)), "html", ExportOptions(WEIGHT), out)
        return out.getvalue()

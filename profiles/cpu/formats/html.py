"""The page of a flame graph, with functions for frames; see `profiles/page/`."""

from __future__ import annotations

from typing import BinaryIO

from profiles.cpu.code_forest import WEIGHT, code_forest
from profiles.cpu.format import CodeFormat, Samples


class Html(CodeFormat):
    """The page that shows a forest."""

    suffix = ".html"

    def write(self, samples: Samples, out: BinaryIO) -> None:
        """See CodeFormat."""
        from profiles.exporter import ExportOptions, export
        from profiles.profile import ForestProfile

        export(ForestProfile(code_forest(samples)), "html", ExportOptions(WEIGHT), out)

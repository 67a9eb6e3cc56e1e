"""What panels of a server's metrics share: whose figures they paint, and a word for that in their frame."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.engine import EngineSample
from probes.snapshot import Snapshot
from radixtop.fleet.shown import ShownEngine, shown_engine
from radixtop.panel import Panel
from radixtop.render.lines import clean


class EnginePanel(Panel[ShownEngine]):
    """Paints the metrics of one rank, or of a server."""

    sample: ClassVar[type] = EngineSample
    is_told_outside: ClassVar[bool] = True

    def of(self, snapshot: Snapshot) -> ShownEngine | None:
        """Return the metrics of the rank that is followed."""
        return shown_engine(snapshot)

    def note(self, sample: ShownEngine | None) -> str:
        """Say whose figures these are, and more of them."""
        if sample is None:
            return ""
        return "   ".join(filter(None, (self.more(sample), clean(sample.name))))

    def more(self, sample: ShownEngine) -> str:
        """Return what stands in the frame before whose figures these are."""
        return ""

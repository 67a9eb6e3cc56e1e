"""Hits and misses by class over the last minute, stacked."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.request_log import RequestLogSample
from radixtop.panel import Canvas, Panel
from radixtop.render.lines import BLANK, Line, beside
from radixtop.render.miss_chart import TABLE_WIDTH, chart, table

_CHART_FROM = TABLE_WIDTH + 18
"""Below this width there is room for the shares alone."""


class MissesPanel(Panel[RequestLogSample]):
    """What became of prompt tokens: a column for each second, and the share of each class."""

    sample: ClassVar[type] = RequestLogSample

    def paint(self, sample: RequestLogSample | None, canvas: Canvas) -> list[Line]:
        """Return the shares at the left and, where there is room, the history at the right."""
        if sample is None:
            return [(("-", "dim"),)]
        if not sample.total.asked:
            return [(("no request has been decided yet", "dim"),)]
        shares = table(sample.seconds, sample.total, sample.remembers_all, canvas.height, sample.lacking)
        if canvas.width < _CHART_FROM:
            return shares[: canvas.height]
        shares += [BLANK] * (canvas.height - len(shares))
        history = chart(sample.seconds, canvas.width - TABLE_WIDTH - 2, canvas.height)
        return beside(shares, history, TABLE_WIDTH)

    def note(self, sample: RequestLogSample | None) -> str:
        """Say what a column is."""
        return "shares of the tokens asked for   last 60 s"

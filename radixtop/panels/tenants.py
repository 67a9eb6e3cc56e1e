"""Namespaces: the share that each holds against the share of hits that it gets."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.tenants import TenantsSample
from probes.lives.tenants import Tenant
from radixtop.panel import Canvas, Panel
from radixtop.render.lines import Line, Role, Span, clean
from radixtop.render.miss_chart import row_with_bar
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import UNKNOWN, count, share

_BAR = 7
_COLUMNS = (
    Column("namespace", 0, "label", at_left=True),
    Column("asked", 5),
    Column("holds", 5, "value"),
    Column("hits", 5, "value"),
    Column("hit rate", 8, drop_below=44),
    Column("evicted", 7, drop_below=52),
    Column("again", 6, drop_below=60),
    Column("became", 20, at_left=True, drop_below=84),
)

_IDLE_SHARE, _IDLE_TIMES = 0.1, 2
"""Who holds so much, and so many times its share of the hits, has more than it makes use of."""


class TenantsPanel(Panel[TenantsSample]):
    """A row for each namespace, those that asked most first."""

    sample: ClassVar[type] = TenantsSample

    def paint(self, sample: TenantsSample | None, canvas: Canvas) -> list[Line]:
        """Return a table."""
        columns = arrange(_COLUMNS, canvas.width)
        lines = [head(columns)]
        if sample is None:
            lines.append(row(columns, [UNKNOWN] * len(_COLUMNS)))
        elif not sample.tenants:
            lines.append((("nobody has asked for anything yet", "dim"),))
        else:
            lines += (row_with_bar(columns, _cells(each), _BAR, each.tokens) for each in sample.tenants)
        return lines[: canvas.height]

    def note(self, sample: TenantsSample | None) -> str:
        """Say what shares are of."""
        return "shares since the watch began"


def _cells(tenant: Tenant) -> list[str | Span]:
    held, hit = tenant.resident_share or 0.0, tenant.hit_share or 0.0
    role: Role = "warn" if held >= _IDLE_SHARE and held >= _IDLE_TIMES * hit else "value"
    tokens = tenant.tokens
    return [
        clean(tenant.namespace), share(tenant.asked_share), (share(tenant.resident_share), role),
        share(tenant.hit_share), share(tokens.hit / tokens.prompt if tokens.prompt else None),
        count(tenant.evicted_tokens), count(tenant.computed_again_tokens), "",
    ]  # fmt: skip

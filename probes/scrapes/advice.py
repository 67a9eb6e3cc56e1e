"""What is wrong with a page or an answer, and what to switch on at the server: in words for a person."""

from __future__ import annotations

from collections.abc import Sequence

from probes.engines.errors import UnknownPathError
from probes.errors import ProbeError
from probes.plural import plural
from probes.scrapes.figures import EngineFigures
from probes.scrapes.hits import best_view
from probes.scrapes.metric import ENGINES, EngineMetrics
from probes.scrapes.page import Page, printable
from probes.scrapes.plausible import note_among


def about_page(page: Page, figures: Sequence[EngineFigures], metrics: EngineMetrics, dp_ranks: int | None) -> str:
    """Return what a page lacks; nothing when it has all that is asked of it."""
    return (
        _wrong_page(page, metrics)
        or next(filter(None, (note_among(each.notes) for each in figures)), "")
        or _wrong_cache(figures, metrics)
        or _wrong_ranks(figures, metrics, dp_ranks)
        or _wrong_lines(page)
    )


def about_failure(error: Exception, metrics: EngineMetrics) -> str:
    """Return what it means that no page came."""
    if isinstance(error, UnknownPathError):
        return f"{error.message}; {metrics.absent}"
    if isinstance(error, ProbeError):
        return str(error)
    return printable(f"no page of metrics came: {type(error).__name__}: {error}")


def _wrong_page(page: Page, metrics: EngineMetrics) -> str:
    if page.has_prefix(metrics.prefix):
        return ""
    if not page.names:
        return "what came is no page of metrics; see that host, port and path are those of the server"
    for other in ENGINES:
        if page.has_prefix(f"{other}_"):
            return f"this is the page of {other}, not of {metrics.engine}; attach to it as {other}://HOST:PORT"
    return f"the page has no metrics of {metrics.engine}; {metrics.absent}"


def _wrong_cache(figures: Sequence[EngineFigures], metrics: EngineMetrics) -> str:
    if any(each.gauges.get("prefix_caching") == 0 for each in figures):
        return f"prefix caching is off; {metrics.cache_off}"
    if any(best_view(metrics.views, each.counters) for each in figures):
        return ""
    return f"the page tells no hits; if it does not after a request either, {metrics.absent}"


def _wrong_ranks(figures: Sequence[EngineFigures], metrics: EngineMetrics, dp_ranks: int | None) -> str:
    told = sum(each.rank >= 0 for each in figures)
    if dp_ranks is None or told >= dp_ranks:
        return ""
    return f"metrics of {told} of {dp_ranks} ranks; {metrics.fewer_ranks}"


def _wrong_lines(page: Page) -> str:
    if page.is_cut:
        return "the page is too long: its end was not read"
    return f"{plural(page.malformed_lines, 'line')} of the page could not be read" if page.malformed_lines else ""

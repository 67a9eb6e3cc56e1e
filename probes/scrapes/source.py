"""Pages of metrics over HTTP."""

from __future__ import annotations

from dataclasses import replace

from probes.engines.access import Access, Address
from probes.scrapes.scraper import PageSource


def page_source(address: Address, access: Access | None = None) -> PageSource:
    """Return what asks a server for its page: the whole of it within the time that it is given."""
    allowed = access or Access()

    def page(seconds: float) -> str:
        from probes.engines.http import HttpClient

        return HttpClient(address, replace(allowed, deadline_s=seconds)).text("/metrics")

    return page

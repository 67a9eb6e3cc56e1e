"""Scrapes metrics as Prometheus does: over HTTP, and parsed by prometheus_client."""

from __future__ import annotations

import re
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

URL = re.compile(r"(?:http://)?(\S+/metrics)")


def url_in(text: str) -> str:
    """Return the address of the metrics that a text names; a screen leaves the scheme out."""
    found = URL.search(text)
    assert found is not None, text
    return f"http://{found[1]}"


def scrape(url: str) -> dict[str, float]:
    """Return every series of a page, written as name{label="value"} with the labels in order."""
    with urlopen(url, timeout=20) as page:
        text = page.read().decode()
    series = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(sample.labels.items()))
            series[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return series

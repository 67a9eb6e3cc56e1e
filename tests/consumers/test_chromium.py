"""The driver itself: what a page does wrong is heard."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.chromium import Chromium


@pytest.mark.needs("chromium")
def test_what_a_page_complains_of_and_fetches_is_heard(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<title>a page</title><script>console.error('oh'); fetch('http://127.0.0.1:1/x')</script>")
    with Chromium() as chromium:
        tab = chromium.open(page.as_uri())
        assert tab.evaluate("document.title") == "a page"
        assert "oh" in tab.complaints
        assert tab.requested == [page.as_uri(), "http://127.0.0.1:1/x"]

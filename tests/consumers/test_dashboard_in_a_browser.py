"""The dashboard in a real browser: `radixtop web`, its token, its keys, and what is painted."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from tests.support.chromium import PATIENCE_S, Chromium, Tab
from tests.support.fixed_recording import unpacked

HEAR = """
window.heard = "";
window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", async ({data}) => {
      const raw = data instanceof Blob ? await data.arrayBuffer() : data;
      window.heard += typeof raw === "string" ? raw : new TextDecoder().decode(raw);
    });
  }
};
"""
"""What the page is told by its session, as text: the terminal in it is a canvas."""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where the dashboard is served, at one moment of the fixed recording."""
    play = ["play", str(unpacked(tmp_path)), "--at", "66s", "--paused"]
    command = [sys.executable, "-m", "radixtop", "web", "--port", "0", *play]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as served:
        assert served.stderr is not None
        found = re.search(r"http://\S+", served.stderr.readline())
        assert found is not None
        yield found[0]
        served.terminate()
        served.communicate()


def painted(tab: Tab, path: Path, unlike: bytes = b"") -> bytes:
    """Return what is painted once that differs from another picture."""
    until = monotonic() + PATIENCE_S
    while True:
        tab.evaluate("new Promise(done => requestAnimationFrame(done))")
        tab.screenshot(path)
        if (picture := path.read_bytes()) != unlike:
            return picture
        assert monotonic() < until, "nothing else was painted"


@pytest.mark.needs("chromium")
def test_a_browser_shows_views_and_hears_keys(address: str, tmp_path: Path) -> None:
    with Chromium("--enable-unsafe-swiftshader") as chromium:
        tab = chromium.open("about:blank", 1400, 900)
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=HEAR)
        tab.go(address)
        tab.wait_for("heard.includes('hit rate') && heard.includes('paused at 01:06')")
        overview = painted(tab, tmp_path / "overview.png")
        tab.evaluate("heard = ''")
        tab.press("2")
        tab.wait_for("heard.includes('system prompt 1')")
        painted(tab, tmp_path / "tree.png", unlike=overview)
        tab.press("q")
        tab.wait_for("document.body.innerText.includes('The session has ended')")
        assert "token" not in tab.evaluate("location.href")
        assert tab.complaints == []

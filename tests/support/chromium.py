"""Drives a headless Chromium over its own pipe (the DevTools protocol), without a driver in between.

    with Chromium() as chromium:
        tab = chromium.open(path.as_uri(), width=1280, height=800)
        assert tab.evaluate("document.title") == "..."
        assert tab.complaints == []

Messages are JSON, a zero byte behind each, on descriptors 3 and 4 of the browser.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self

from probes.readiness import readable

BINARIES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE_S = 60.0
"""How long an answer or a condition is waited for: far longer than it takes on a busy machine."""

SWITCHES = (
    "--headless", "--no-sandbox", "--disable-gpu-sandbox", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-pipe",
)  # fmt: skip


def find_chromium() -> str | None:
    """Return the path of a Chromium, or None where there is none."""
    return next((path for name in BINARIES if (path := shutil.which(name))), None)


class Chromium:
    """A browser with a profile of its own; closing it ends its process. `switches` are added to its command line."""

    def __init__(self, *switches: str) -> None:
        binary = find_chromium()
        assert binary, "no chromium on the PATH"
        self._profile = tempfile.TemporaryDirectory(prefix="radixtop-chromium-", ignore_cleanup_errors=True)
        command = (binary, *SWITCHES, *switches, f"--user-data-dir={self._profile.name}", "about:blank")
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$@" 3</dev/fd/{theirs_in} 4>/dev/fd/{theirs_out}', "chromium", *command],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._unread = b""
        self._sent = 0
        self._tabs: dict[str, Tab] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the browser with all its processes and remove its profile."""
        try:
            if self._process.poll() is None:
                self._send("Browser.close", {})
                self._process.wait(PATIENCE_S)
        finally:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._profile.cleanup()

    def open(self, url: str, width: int = 1280, height: int = 800, scheme: str = "light", scale: float = 1) -> Tab:
        """Open a page in a tab of its own and wait until it is loaded. `scheme` is dark or light."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        tab = self._tabs[session] = Tab(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            tab.call(f"{domain}.enable")
        tab.resize(width, height, scale)
        tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        tab.go(url)
        return tab

    def call(self, method: str, params: dict[str, Any], session: str | None = None) -> dict[str, Any]:
        """Send a command and return its answer; what the tabs report meanwhile goes to them."""
        number = self._send(method, params, session)
        while True:
            answer = self.read()
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                found: dict[str, Any] = answer["result"]
                return found

    def _send(self, method: str, params: dict[str, Any], session: str | None = None) -> int:
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self._out, json.dumps(message).encode() + b"\0")
        return self._sent

    def read(self) -> dict[str, Any]:
        """Return the next message; a report of a tab is given to it as well."""
        until = monotonic() + PATIENCE_S
        while b"\0" not in self._unread:
            ready = readable([self._in], until - monotonic())
            assert ready, "chromium does not answer"
            piece = os.read(self._in, 1 << 20)
            assert piece, "chromium ended"
            self._unread += piece
        text, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        if "method" in message and message.get("sessionId") in self._tabs:
            self._tabs[message["sessionId"]].hear(message["method"], message["params"])
        return message


class Tab:
    """A page in the browser. `complaints` are errors and warnings that it wrote; `requested` what it fetched."""

    def __init__(self, browser: Chromium, session: str) -> None:
        self._browser = browser
        self._session = session
        self._loads = 0
        self.complaints: list[str] = []
        self.messages: list[str] = []
        self.requested: list[str] = []

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol to this page."""
        return self._browser.call(method, params, self._session)

    def go(self, url: str) -> None:
        """Load another page here and wait for it."""
        loads = self._loads
        self.call("Page.navigate", url=url)
        while self._loads == loads:
            self._browser.read()

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        """Make the window so large, `scale` device pixels for a pixel."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False
        )

    def evaluate(self, expression: str) -> Any:
        """Return what a JavaScript expression amounts to; a promise is awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> Any:
        """Return the value of an expression once it is true; it is asked for at every frame that is painted."""
        return self.evaluate(
            f"new Promise((done, fail) => {{ const end = performance.now() + {1000 * PATIENCE_S};"
            f" const look = () => {{ const value = ({expression}); if (value) done(value);"
            " else if (performance.now() > end) fail(new Error('never came true'));"
            " else requestAnimationFrame(look); }; look(); })"
        )

    def press(self, key: str, text: str = "") -> None:
        """Press and release a key: "Escape", or a character, which is then typed as well."""
        text = text or (key if len(key) == 1 else "\r" if key == "Enter" else "")
        code = {"Enter": 13, "Escape": 27, "Backspace": 8, "Tab": 9}.get(
            key, ord(key.upper()) if len(key) == 1 else 0
        )
        common = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        """Put a text in where the cursor is."""
        self.call("Input.insertText", text=text)

    def move(self, x: float, y: float) -> None:
        """Move the pointer."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x: float, y: float) -> None:
        """Click with the left button."""
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, path: Path) -> None:
        """Write what the window shows as PNG."""
        path.write_bytes(b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def hear(self, method: str, params: dict[str, Any]) -> None:
        """Take in a report of the page."""
        listeners: dict[str, Callable[[], None]] = {
            "Page.loadEventFired": self._loaded,
            "Runtime.consoleAPICalled": lambda: self._said(params),
            "Runtime.exceptionThrown": lambda: self.complaints.append(str(params["exceptionDetails"])),
            "Log.entryAdded": lambda: self.complaints.append(params["entry"]["text"]),
            "Network.requestWillBeSent": lambda: self.requested.append(params["request"]["url"]),
        }
        listeners.get(method, lambda: None)()

    def _loaded(self) -> None:
        self._loads += 1

    def _said(self, params: dict[str, Any]) -> None:
        text = " ".join(str(argument.get("value", argument.get("description"))) for argument in params["args"])
        self.messages.append(text)
        if params["type"] in ("error", "warning", "assert"):
            self.complaints.append(text)

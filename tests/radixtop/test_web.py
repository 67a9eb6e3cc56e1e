"""`radixtop web` as a server: what it answers without a browser, and what it leaves behind."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from cache_core import CacheConfig
from radixtop import cli
from tests.support.processes import is_running, until
from tests.support.recorded import random_steps, record_run

if TYPE_CHECKING:
    from aiohttp import ClientWebSocketResponse

pytestmark = pytest.mark.needs("textual-serve")
CONFIG = CacheConfig(components=("full", "swa"), window=8, full_slots=400, swa_slots=200)
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a small cache."""
    return record_run(tmp_path_factory.mktemp("web") / "small.rtrec", CONFIG, random_steps(100))


class Answer(NamedTuple):
    """What a server said."""

    status: int
    headers: Message
    body: bytes


class Served:
    """A server of a recording, and the address that it printed."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "radixtop", "web", "--port", "0", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()
        found = ADDRESS.search(self.said)
        assert found, self.said
        self.port, self.token = int(found[1]), found[2]

    def ask(self, path: str, **headers: str) -> Answer:
        """Ask for a path and return the answer, without following it."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request("GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()})
            with connection.getresponse() as said:
                return Answer(said.status, said.headers, said.read())

    def cookie(self) -> str:
        """Trade the token for a cookie."""
        return str(self.ask(f"/?token={self.token}").headers["Set-Cookie"]).partition(";")[0]

    def close(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def served(recording: Path) -> Iterator[Served]:
    """A server of the recording."""
    server = Served("play", str(recording))
    yield server
    server.close()


@pytest.mark.parametrize(
    "path", ["/", "/page.css", "/static/js/textual.js", "/ws", "/download/x", "/missing", "/?token=x"]
)
def test_no_path_is_answered_without_the_token(path: str, served: Served) -> None:
    answer = served.ask(path)
    assert answer.status == (403 if path == "/ws" else 401)  # a stream has to say where it comes from
    assert answer.body.startswith(b"40")
    assert len(answer.body) < 100


def test_the_first_visit_trades_the_token_for_a_cookie(served: Served) -> None:
    answer = served.ask(f"/?token={served.token}")
    cookie = answer.headers["Set-Cookie"]
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and served.token not in cookie
    page = served.ask("/", Cookie=served.cookie())
    text = page.body.decode()
    assert page.status == 200
    assert f"ws://127.0.0.1:{served.port}/ws" in text
    assert "https://" not in text and text.count("http://") == 0
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    for path in (
        "/page.css",
        "/static/js/textual.js",
        "/static/css/xterm.css",
        "/static/fonts/RobotoMono-VariableFont_wght.ttf",
    ):
        assert served.ask(path, Cookie=served.cookie()).status == 200
    assert served.ask("/static/", Cookie=served.cookie()).status in (403, 404)


def test_another_name_or_page_is_refused(served: Served) -> None:
    cookie = served.cookie()
    assert served.ask("/", Cookie=cookie, Host="evil.example").status == 403
    assert served.ask("/", Cookie=cookie, Origin="http://evil.example").status == 403
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "x",
    }
    assert served.ask("/ws", Cookie=cookie, **upgrade).status == 403
    assert served.ask("/ws", Cookie=cookie, Origin="http://evil.example", **upgrade).status == 403


def test_a_tab_is_an_app_that_ends_with_it(served: Served) -> None:
    async def leave(stream: ClientWebSocketResponse) -> None:
        await stream.send_str("no list")  # what is no message ends the tab, not the server

    screen, apps = asyncio.run(visit(served, leave))
    assert "small.rtrec" in screen
    assert len(apps) == 1
    until(lambda: not children(served.process.pid), 30, "the end of the app")
    assert served.ask("/", Cookie=served.cookie()).status == 200


def test_an_app_does_not_outlive_a_server_that_was_killed(recording: Path) -> None:
    server = Served("play", str(recording))

    async def kill(_: ClientWebSocketResponse) -> None:
        server.close()

    _, apps = asyncio.run(visit(server, kill))
    until(lambda: not is_running(apps[0]), 30, "the end of the app")


async def visit(server: Served, leave: Callable[[ClientWebSocketResponse], Awaitable[None]]) -> tuple[str, list[int]]:
    """Open a tab, wait for the screen, and leave; return the screen and the processes of the server then."""
    from aiohttp import ClientSession

    headers = {"Cookie": server.cookie(), "Origin": f"http://127.0.0.1:{server.port}"}
    url = f"http://127.0.0.1:{server.port}/ws?width=100&height=30"
    async with ClientSession() as session, session.ws_connect(url, headers=headers) as stream:
        screen = ""
        while "hit rate" not in screen:
            screen += (await stream.receive_bytes(timeout=60)).decode("utf-8", "replace")
        apps = children(server.process.pid)
        await leave(stream)
    return screen, apps


def children(pid: int) -> list[int]:
    """Return the children of a process."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_it_ends_in_order_and_tells_no_terminal_of_requests_that_are_none(
    number: signal.Signals, code: int, recording: Path
) -> None:
    server = Served("play", str(recording))
    for request in (
        b"\x00\xff\x1b[2J\r\n\r\n",
        f"GET /?token={server.token}\udc80 HTTP/1.1\r\n\r\n".encode(errors="surrogatepass"),
    ):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as stranger:
            stranger.sendall(request)
            assert b" 400 " in stranger.recv(4096)
    os.kill(server.process.pid, number)
    out, err = server.process.communicate(timeout=60)
    assert (server.process.returncode, out, err) == (code, "", "")


def test_a_token_of_ones_own_comes_from_a_file_that_nobody_else_reads(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "token"
    file.write_text("sixteen-characters-and-more\n")
    file.chmod(0o644)
    command = ["web", "--port", "0", "--token-file", str(file), "play", str(recording)]
    assert cli.main(command) == 1
    assert "others can read this token" in capsys.readouterr().err
    file.chmod(0o600)
    server = Served("--token-file", str(file), "play", str(recording))
    server.close()
    assert server.token == "sixteen-characters-and-more"
    file.write_text("short")
    assert cli.main(command) == 1
    assert "5 characters are too few" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["profile", "info", "x"], "'profile' has no screen"),
        (["play"], "Missing argument"),
        (["play", "x", "--theme", "pink"], "dark, light, ansi"),
        (["play", "x", "--once"], "--once has no screen"),
        (["--page-size", "0"], "--page-size"),
        (["play", "x", "--port", "1"], "--port is a flag of `web`, not of play hint: write it before play"),
    ],
)
def test_what_cannot_be_shown_is_said_before_anything_is_served(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["web", *words]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_port_that_is_taken_is_one_error(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["web", "--port", str(served.port), "play", "x"]) == 1
    assert f"port {served.port} of 127.0.0.1 is in use" in capsys.readouterr().err

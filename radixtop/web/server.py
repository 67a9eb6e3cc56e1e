"""The server of the dashboard in a browser: textual-serve's stream and scripts behind our door and our page.

Every tab is an app process of its own. Nothing is fetched from elsewhere, and every path asks for the token.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from html import escape
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path

import textual_serve
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from textual_serve.app_service import AppService
from textual_serve.server import Server

from radixtop.web.access import Access, Asked

MOST_TABS = 16
"""Apps at one time: each is a process, and each a live run where one was asked for."""

LEAVE_S = 5.0
"""How long an app may take to end before it is killed."""

_FONT_SIZES = range(6, 49)
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self' ws:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Faults(logging.Filter):
    """Lets through what went wrong with us: requests that are none fill no terminal, and show no token in it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """See Filter."""
        fault = record.exc_info[1] if record.exc_info else None
        return not isinstance(fault, HttpProcessingError)


class Doorkeeper:
    """Lets requests in by the rules of an `Access`, and sends the others away."""

    def __init__(self, access: Access) -> None:
        self._access = access

    @web.middleware
    async def keep(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer a request, or refuse it."""
        verdict = self._access.judge(_asked(request))
        if verdict.status is HTTPStatus.SEE_OTHER:
            response: web.StreamResponse = web.Response(status=verdict.status, headers={"Location": request.path})
            access = self._access
            response.set_cookie(access.cookie_name, access.cookie, httponly=True, samesite="Strict", path="/")
        elif verdict.status is not HTTPStatus.OK:
            response = web.Response(status=verdict.status, text=f"{verdict.status.value}: {verdict.reason}\n")
        else:
            response = await handler(request)
        if not response.prepared:
            response.headers.update(_HEADERS)
        return response


def _asked(request: web.Request) -> Asked:
    is_stream = request.path == "/ws" or "upgrade" in request.headers.get("Connection", "").lower()
    headers = request.headers
    return Asked(headers.get("Host"), headers.get("Origin"), request.query.get("token"), request.cookies, is_stream)


class WebServer(Server):
    """Serves one command: a page, what it needs, and a stream to an app process for each tab."""

    def __init__(self, command: str, access: Access) -> None:
        super().__init__(command)
        self._access = access
        self._tabs: set[web.WebSocketResponse] = set()

    def application(self) -> web.Application:
        """Return the application; every path of it asks for the token."""
        app = web.Application(middlewares=[Doorkeeper(self._access).keep])
        app.add_routes(
            [
                web.get("/", self.page),
                web.get("/{name:page[.](?:css|js)}", self.part),
                web.get("/ws", self.stream),
                web.get("/download/{key}", self.handle_download),
                web.static("/static", Path(textual_serve.__file__).parent / "static"),
            ]
        )
        app.on_shutdown.append(self._close_tabs)
        return app

    async def page(self, request: web.Request) -> web.Response:
        """Return the page; its stream is at the name by which the browser found us."""
        said = request.query.get("fontsize", "")
        font_size = int(said) if said.isdecimal() and len(said) < 3 and int(said) in _FONT_SIZES else 16
        page = (
            _read("page.html")
            .replace("{url}", escape(f"ws://{request.host}/ws"))
            .replace("{font_size}", str(font_size))
        )
        return web.Response(text=page, content_type="text/html")

    async def part(self, request: web.Request) -> web.Response:
        """Return the style or the script of the page."""
        name = request.match_info["name"]
        return web.Response(text=_read(name), content_type="text/css" if name.endswith("css") else "text/javascript")

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """Run an app for as long as its tab is open."""
        if len(self._tabs) >= MOST_TABS:
            return web.Response(status=HTTPStatus.SERVICE_UNAVAILABLE, text=f"{MOST_TABS} tabs are open already\n")
        tab = web.WebSocketResponse(heartbeat=15, max_msg_size=1 << 20)
        await tab.prepare(request)
        self._tabs.add(tab)
        app = AppService(
            self.command,
            write_bytes=tab.send_bytes,
            write_str=tab.send_str,
            close=partial(_close, tab),
            download_manager=self.download_manager,
        )
        try:
            await app.start(_cells(request.query.get("width"), 80), _cells(request.query.get("height"), 24))
            await self._process_messages(tab, app)
        except (AssertionError, LookupError, TypeError, ValueError):  # a message that is none
            await tab.close()
        finally:
            self._tabs.discard(tab)
            await _end(app)
        return tab

    async def _close_tabs(self, _: web.Application) -> None:
        await asyncio.gather(*(tab.close() for tab in [*self._tabs]))


async def _end(app: AppService) -> None:
    """End an app in order; kill one that does not."""
    process = app._process
    try:
        await asyncio.wait_for(app.stop(), LEAVE_S)
    except (TimeoutError, ConnectionError):
        pass
    if process is not None and process.returncode is None:
        try:
            await asyncio.wait_for(process.wait(), LEAVE_S)
        except TimeoutError:
            process.kill()


def _cells(said: str | None, otherwise: int) -> int:
    return min(int(said), 1000) if said and said.isdecimal() and len(said) < 6 else otherwise


def _read(name: str) -> str:
    return (files("radixtop.web") / name).read_text(encoding="utf-8")


async def _close(tab: web.WebSocketResponse) -> None:
    await tab.close()


def _settle(end: asyncio.Future[signal.Signals], number: signal.Signals) -> None:
    if not end.done():
        end.set_result(number)


def serve(server: WebServer, listener: socket.socket, announce: Callable[[], None]) -> signal.Signals:
    """Serve at a socket that listens until SIGINT, SIGTERM or SIGHUP, and return which it was.

    `announce` is called once all of that works.
    """
    return asyncio.run(_serve(server, listener, announce))


async def _serve(server: WebServer, listener: socket.socket, announce: Callable[[], None]) -> signal.Signals:
    loop = asyncio.get_running_loop()
    end: asyncio.Future[signal.Signals] = loop.create_future()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, _settle, end, number)
    logger = logging.getLogger(__name__)
    logger.addFilter(Faults())
    runner = web.AppRunner(
        server.application(), access_log=None, shutdown_timeout=LEAVE_S, handle_signals=False, logger=logger
    )
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        announce()
        return await end
    finally:
        await runner.cleanup()

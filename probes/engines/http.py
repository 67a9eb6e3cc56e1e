"""A small HTTP client for servers that may be slow, hostile or something else altogether.

One deadline holds for a whole answer, one limit for its size. No proxy is used, whatever the environment says, and
no redirection followed but to the same server, so that the key goes to whom it was meant for. Every failure is an
EngineError, and none names the key.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import SplitResult, urljoin, urlsplit

from probes.engines.access import Access, Address
from probes.engines.connection import STATUS, Deadline, NoStatusLineError, TimedSocket, TooLargeError, connect
from probes.engines.errors import BadAnswerError, EngineError
from probes.engines.faults import NOT_THE_ENGINE, fault_of, needs_tls, status_fault, stranger, too_large
from probes.engines.tls import context_of, speaks_tls

if TYPE_CHECKING:
    import socket

_MOST_DETOURS = 3
_PIECE_BYTES = 64 * 1024
_MOST_JSON_BYTES = 4 * 1024 * 1024
"""JSON takes many times its size in memory."""
_REDIRECTIONS = (301, 302, 303, 307, 308)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said."""

    status: int
    content_type: str
    body: bytes
    location: str = ""


class HttpClient:
    """Asks one server. Any thread may ask; each question has a connection of its own.

    With `until` all questions together end by then.
    """

    def __init__(self, address: Address, access: Access | None = None, until: Deadline | None = None) -> None:
        self.address = address
        self.access = access or Access()
        self._until = until
        self._tls: ssl.SSLContext | None = None

    def get(self, path: str) -> Answer:
        """Return the answer to a question, of any kind of content. Raises EngineError."""
        return self._asked(_Question("GET", path, self.access.most_bytes))

    def text(self, path: str) -> str:
        """Return a page of text; what is no UTF-8 in it is replaced. Raises EngineError."""
        return self.get(path).body.decode("utf-8", "replace")

    def json(self, path: str) -> object:
        """Return what a page of JSON holds. Raises EngineError."""
        return self._parsed(path, self._asked(_Question("GET", path, self._json_bytes)))

    def post(self, path: str, document: Mapping[str, object]) -> object:
        """Send a document of JSON and return the one that comes back. Raises EngineError."""
        body = json.dumps(document).encode()
        return self._parsed(path, self._asked(_Question("POST", path, self._json_bytes, body)))

    @property
    def _json_bytes(self) -> int:
        return min(self.access.most_bytes, _MOST_JSON_BYTES)

    def _asked(self, first: _Question) -> Answer:
        deadline = self._deadline()
        question = first
        for _ in range(_MOST_DETOURS):
            answer = self._exchange(question, deadline)
            if answer.status not in _REDIRECTIONS:
                break
            question = replace(question, path=self._detour(question.path, answer.location))
        else:
            raise BadAnswerError(f"{self.address}{first.path} leads in circles", "see what stands before the server")
        if not self.address.is_tls and answer.status == 400 and b"HTTPS" in answer.body:
            raise needs_tls(self.address)
        fault = status_fault(answer.status, first.path, self.address, self.access.token is not None)
        if fault is not None:
            raise fault
        return answer

    def _deadline(self) -> Deadline:
        """Return the deadline of a question that is asked now. Raises SlowAnswerError when it is too late for one."""
        seconds = self.access.deadline_s
        if self._until is None:
            return Deadline(seconds)
        try:
            return Deadline(min(seconds, self._until.left()))
        except TimeoutError as error:
            raise fault_of(error, self.address, self._until.seconds) from None

    def _detour(self, path: str, location: str) -> str:
        """Return where the same server sends us. Raises BadAnswerError when that is somewhere else."""
        here = f"{self.address}{path}"
        try:
            there = urlsplit(urljoin(here, location))
            is_same = _origin_of(there) == _origin_of(urlsplit(here))
        except ValueError:
            is_same = False
        onward = there.path + (f"?{there.query}" if there.query else "") if is_same else ""
        if not is_same or not onward.isascii() or not onward.isprintable() or " " in onward:
            said = f"{here} sends to another place: {location[:80]}"
            raise BadAnswerError(said, "name that server itself, if you trust it; a key is not carried there")
        return onward

    def _exchange(self, question: _Question, deadline: Deadline) -> Answer:
        try:
            with closing(self._connected(deadline)) as sock:
                timed = TimedSocket(sock, deadline, question.most_bytes)
                try:
                    return self._talk(timed, question)
                except (NoStatusLineError, ConnectionError, HTTPException, ssl.SSLEOFError) as error:
                    raise self._fault_within(error, timed.first, deadline) from None
        except (OSError, HTTPException, TooLargeError, ValueError) as error:
            raise fault_of(error, self.address, deadline.seconds) from None

    def _fault_within(self, error: Exception, first: bytes, deadline: Deadline) -> EngineError:
        """Return what an error means that came once there was a connection; `first` is how the other side began.

        A port that hangs up without a word is asked whether it speaks TLS.
        """
        if not first and not self.address.is_tls and speaks_tls(self.address, deadline):
            return needs_tls(self.address)
        if first and not first.startswith(STATUS):
            return stranger(first, self.address)
        ended = ConnectionResetError() if isinstance(error, ssl.SSLEOFError) else error
        return fault_of(ended, self.address, deadline.seconds)

    def _connected(self, deadline: Deadline) -> socket.socket:
        sock = connect(self.address.host, self.address.port, deadline)
        if not self.address.is_tls:
            return sock
        try:
            sock.settimeout(deadline.left())
            return self._context().wrap_socket(sock, server_hostname=self.address.host)
        except BaseException:
            sock.close()
            raise

    def _context(self) -> ssl.SSLContext:
        """Return whom to trust, made once. Raises UntrustedError for files that hold no certificate."""
        if self._tls is None:
            self._tls = context_of(self.access)
        return self._tls

    def _talk(self, sock: TimedSocket, question: _Question) -> Answer:
        connection = HTTPConnection(self.address.host, self.address.port)
        connection.sock = sock
        headers = {"Accept": "*/*", "Connection": "close", "User-Agent": "radixtop"}
        if self.access.token is not None:
            headers["Authorization"] = self.access.token.header
        if question.body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(question.method, question.path, question.body, headers)
        response = connection.getresponse()
        kind, location = (response.getheader(name) or "" for name in ("Content-Type", "Location"))
        return Answer(response.status, kind, self._body(response, question.most_bytes), location)

    def _body(self, response: HTTPResponse, most_bytes: int) -> bytes:
        pieces, count = [], 0
        while piece := response.read(_PIECE_BYTES):
            count += len(piece)
            if count > most_bytes:
                raise too_large(self.address)
            pieces.append(piece)
        if response.length:
            raise IncompleteRead(b"")
        return b"".join(pieces)

    def _parsed(self, path: str, answer: Answer) -> object:
        try:
            document: object = json.loads(answer.body, parse_constant=_refuse)
        except (ValueError, RecursionError):
            said = f"{self.address}{path} answers with no JSON" + (" but a web page" if _is_page(answer) else "")
            raise BadAnswerError(said, NOT_THE_ENGINE) from None
        return document


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked for, and how large the answer may be."""

    method: str
    path: str
    most_bytes: int
    body: bytes | None = None


def _origin_of(url: SplitResult) -> tuple[str, str | None, int | None]:
    return url.scheme, url.hostname, url.port or {"http": 80, "https": 443}.get(url.scheme)


def _is_page(answer: Answer) -> bool:
    return "html" in answer.content_type.lower() or answer.body.lstrip()[:1] == b"<"


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)

"""Who may see the dashboard in a browser. Pure rules: what a request says of itself in, an answer out.

The token in the address is for the first visit alone: it is traded for a cookie that no script can read and no other
site can send. Names of hosts are checked, for a page of somebody else's may point its own name at this machine; and
the origin of whatever opens the stream of keys, for that is no page load that a browser would keep apart by itself.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from hmac import compare_digest
from http import HTTPStatus
from ipaddress import ip_address

_LEAST_TOKEN = 16
"""Characters of a token that is not soon guessed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request says of itself; None for what it does not say."""

    host: str | None
    origin: str | None = None
    token: str | None = None
    """That of the address, `?token=`."""
    cookies: Mapping[str, str] | None = None
    is_stream: bool = False
    """Whether it opens the stream of keys and screens: a websocket."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a request gets: OK, or SEE_OTHER to the page with the cookie set, or a refusal and why."""

    status: HTTPStatus
    reason: str = ""


class Access:
    """The rules of one server: its token, the cookie that stands for it, the names it goes by."""

    def __init__(self, token: str, host: str, port: int) -> None:
        self.token = token
        self.cookie_name = f"radixtop-{port}"
        """Cookies know no port: servers of one machine must not take each other's away."""
        self.cookie = secrets.token_urlsafe(32)
        self._is_loopback = is_loopback(host)
        self._names = {host.strip("[]").lower(), "localhost"}
        if not self._is_loopback:
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    def judge(self, asked: Asked) -> Verdict:
        """Return what a request gets."""
        if not self._is_ours(asked.host):
            return Verdict(HTTPStatus.FORBIDDEN, "this server does not go by that name")
        if not self._is_from_here(asked):
            return Verdict(HTTPStatus.FORBIDDEN, "pages of other sites may not do this")
        cookie = (asked.cookies or {}).get(self.cookie_name)
        if cookie is not None and _same(cookie, self.cookie):
            return Verdict(HTTPStatus.OK)
        if asked.token is not None and not asked.is_stream and _same(asked.token, self.token):
            return Verdict(HTTPStatus.SEE_OTHER)
        return Verdict(HTTPStatus.UNAUTHORIZED, "open the address that radixtop web has printed")

    def _is_ours(self, host: str | None) -> bool:
        """Return whether a Host header names this server; an address of a machine is nobody's to point elsewhere."""
        name = name_of(host)
        if name is None:
            return False
        return name in self._names or is_loopback(name) or (not self._is_loopback and _is_address(name))

    def _is_from_here(self, asked: Asked) -> bool:
        """Return whether the page that asks is ours. A stream has to say; of the rest only what is said counts."""
        if asked.origin is None:
            return not asked.is_stream
        return asked.origin.lower() == f"http://{asked.host or ''}".lower()


def name_of(host: str | None) -> str | None:
    """Return the name in a Host header, without the port; None for what is no such header."""
    if not host:
        return None
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        port = port.removeprefix(":") if bracket and (not port or port.startswith(":")) else "?"
    else:
        name, _, port = host.partition(":")
    return name.lower() if name and (not port or port.isdecimal()) else None


def is_loopback(name: str) -> bool:
    """Return whether a name is surely this machine as it calls itself."""
    return name.lower() == "localhost" or (_is_address(name) and ip_address(name.strip("[]")).is_loopback)


def new_token() -> str:
    """Return a token that nobody guesses."""
    return secrets.token_urlsafe(24)


def fault_of_token(token: str) -> str:
    """Return what is wrong with a token of somebody's choice, "" for nothing."""
    if len(token) < _LEAST_TOKEN:
        return f"{len(token)} characters are too few, it takes {_LEAST_TOKEN}"
    if not all(character.isalnum() or character in "-_.~" for character in token) or not token.isascii():
        return "only letters, digits and - _ . ~ can stand in an address"
    return ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _same(said: str, known: str) -> bool:
    """Compare in a time that tells nothing of where they differ."""
    return compare_digest(said.encode("utf-8", "surrogatepass"), known.encode())

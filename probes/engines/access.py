"""Where a server is, and what it takes to be let in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from probes.engines.errors import EngineError
from probes.kv.endpoints import is_loopback

DEADLINE_S = 2.0
MOST_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Address:
    """A server: `host` as people write it, an IPv6 address without its brackets."""

    host: str
    port: int
    is_tls: bool = False

    @property
    def spoken_host(self) -> str:
        """The host as it stands in an address, an IPv6 address in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def place(self) -> str:
        """Host and port, as they stand in an address."""
        return f"{self.spoken_host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether nothing but this machine can mean the host."""
        return is_loopback(f"tcp://{self.place}")

    def __str__(self) -> str:
        """Return the address as a URL without a path."""
        return f"http{'s' if self.is_tls else ''}://{self.place}"


class Token:
    """A key that a server wants. Nothing shows it: no text, no representation, no message.

    Raises EngineError for what no header can carry.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        text = text.strip()
        if not text or not text.isascii() or not text.isprintable():
            raise EngineError("the API key is no line of printable ASCII", "look for a line break or a quote in it")
        self._text = text

    @property
    def header(self) -> str:
        """What stands behind `Authorization:`."""
        return f"Bearer {self._text}"

    def __repr__(self) -> str:
        """Return a text that holds nothing of the key."""
        return "Token(***)"

    def __reduce__(self) -> NoReturn:
        """Refuse to be written anywhere."""
        raise TypeError("a key is not written anywhere")


@dataclass(frozen=True, slots=True)
class Access:
    """How to ask: the key, whom to trust, how long an answer may take and how large it may be."""

    token: Token | None = None
    ca_file: Path | None = None
    insecure: bool = False
    """Take any certificate: whoever sits in between can read the key."""
    client_certificate: Path | None = None
    """With its key in the same file, unless `client_key` names another."""
    client_key: Path | None = None
    deadline_s: float = DEADLINE_S
    """For a whole answer, from the look-up of the name to the last byte."""
    most_bytes: int = MOST_BYTES

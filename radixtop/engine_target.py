"""Targets that are reached over a network: servers of an engine, and bare streams of KV events, also saved ones.

sglang://HOST[:PORT]    sglang+https://HOST[:PORT]    vllm://HOST[:PORT]    vllm+https://HOST[:PORT]
tcp://HOST:PORT         FILE
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os.path import isdir, isfile
from pathlib import Path

from probes.engines.access import Address
from probes.kv.endpoints import LAST_PORT
from radixtop.errors import UsageError

DEFAULT_PORTS = {"sglang": 30000, "vllm": 8000}
"""What each engine listens at unless told."""

HOW_TO_NAME = (
    "use sglang://HOST:PORT or vllm://HOST:PORT (with sglang+https:// or vllm+https:// for TLS), "
    "tcp://HOST:PORT for KV events alone, or the FILE of saved ones; an IPv6 address stands in brackets"
)
_TAKES_FILES = (
    "attach takes the FILE of KV events that were saved, sglang://HOST:PORT, vllm://HOST:PORT, tcp://HOST:PORT, or a "
    "PID; a recording of radixtop: radixtop play FILE"
)
_FILE = re.compile(r"/|\.(?:rxkv|bin|rtrec)(?:\.gz|\.xz)?$")
_MOST_TARGETS = 256
_SHOWN = 80

_TARGET = re.compile(
    r"(?P<scheme>[a-z0-9]+(?:\+https?)?)://"
    r"(?P<host>\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253})"
    r"(?::(?P<port>[0-9]{1,5}))?/?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class EngineTarget:
    """A server of an engine, by where its HTTP API listens."""

    engine: str
    address: Address

    def __str__(self) -> str:
        """Return the text that names this server."""
        tls = "+https" if self.address.is_tls else ""
        return f"{self.engine}{tls}://{self.address.place}"


@dataclass(frozen=True, slots=True)
class StreamTarget:
    """A stream of KV events, by where its publisher listens."""

    host: str
    port: int

    @property
    def endpoint(self) -> str:
        """The address as ZeroMQ takes it."""
        return f"tcp://{self.host if ':' not in self.host else f'[{self.host}]'}:{self.port}"

    def __str__(self) -> str:
        """Return the text that names this stream."""
        return self.endpoint


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A stream of KV events that was saved to a file."""

    path: Path

    def __str__(self) -> str:
        """Return the text that names this file."""
        return str(self.path)


NetworkTarget = EngineTarget | StreamTarget | FileTarget


def is_network_target(text: str) -> bool:
    """Say whether a text means something that is reached over a network, or that once was."""
    return "://" in text or _is_saved(text)


def _is_saved(text: str) -> bool:
    """Say whether a text names a file of KV events; nothing is imported for what is no file."""
    if not isfile(text):  # unlike Path's, False for a name that is too long
        return False
    from probes.kv_feed.stream_file import is_stream

    return is_stream(Path(text))


def check_no_file(text: str) -> None:
    """Raise UsageError where a text can only be meant as a file, and names none of saved KV events."""
    if isdir(text):
        raise UsageError(f"{text!r} is a directory", _TAKES_FILES)
    if isfile(text):
        raise UsageError(f"{text!r} is no file of saved KV events (RXKV), or it cannot be read", _TAKES_FILES)
    if _FILE.search(text) is not None:
        raise UsageError(f"no such file: {text[:_SHOWN]!r}", _TAKES_FILES)


def network_target_of(text: str) -> NetworkTarget:
    """Return what one text names. Raises UsageError, which says what is wrong with it and what may stand there."""
    found = _TARGET.fullmatch(text.strip())
    if found is None and _is_saved(text):
        return FileTarget(Path(text))
    if found is None:
        raise UsageError(f"{text[:_SHOWN]!r} is no target", _advice(text))
    scheme, _, over = found["scheme"].lower().partition("+")
    host, port = found["host"].strip("[]"), int(found["port"]) if found["port"] else None
    if port is not None and not 0 < port <= LAST_PORT:
        raise UsageError(f"{text[:_SHOWN]!r}: {port} is no port", f"ports go from 1 to {LAST_PORT}")
    if scheme in DEFAULT_PORTS:
        return EngineTarget(scheme, Address(host, port or DEFAULT_PORTS[scheme], over == "https"))
    if scheme == "tcp" and not over:
        if port is None:
            raise UsageError(f"{text[:_SHOWN]!r} names no port", "KV events are published at 5557 unless told")
        return StreamTarget(host, port)
    raise UsageError(f"{text[:_SHOWN]!r} is no target", _advice(text))


def words_of(texts: Iterable[str]) -> list[str]:
    """Return the words of some texts, each of which may hold several with commas between."""
    return [word.strip() for text in texts for word in text.split(",") if word.strip()]


def network_targets_of(texts: Iterable[str]) -> tuple[NetworkTarget, ...]:
    """Return what some texts name, each of which may hold several with commas between; each counts once.

    Raises UsageError for one that names nothing, and for none at all.
    """
    words = words_of(texts)
    if not words:
        raise UsageError("no target is named", HOW_TO_NAME)
    if len(words) > _MOST_TARGETS:
        raise UsageError(f"{len(words)} targets are named", f"watch up to {_MOST_TARGETS} at once")
    return tuple(dict.fromkeys(map(network_target_of, words)))


def title_of(targets: Sequence[NetworkTarget]) -> str:
    """Return what several targets are called together: how many there are, and the first of them."""
    first, *others = map(str, targets)
    return f"{first} and {len(others)} more" if others else first


def _advice(text: str) -> str:
    """Return what to write instead of something that people write."""
    lowered = text.strip().lower()
    if lowered.startswith(("http://", "https://")):
        tls = "+https" if lowered.startswith("https") else ""
        return f"say which engine it is: sglang{tls}://HOST:PORT or vllm{tls}://HOST:PORT"
    if "@" in text:
        return "a key does not stand in a target: RADIXTOP_API_KEY, --api-key-file FILE or --api-key KEY"
    if lowered.count(":") > 2 and "[" not in text:
        return "an IPv6 address stands in brackets: sglang://[::1]:30000"
    return HOW_TO_NAME

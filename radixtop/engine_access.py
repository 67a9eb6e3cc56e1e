"""The flags that say how to get into a server, for every command that asks one, and what they amount to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from probes.engines.access import DEADLINE_S, Access, Token
from probes.engines.errors import EngineError
from radixtop.errors import UsageError

VARIABLE = "RADIXTOP_API_KEY"
_MOST_BYTES = 64 * 1024

ApiKey = Annotated[
    str | None,
    typer.Option(
        "--api-key", metavar="KEY", help=f"Key of the server. Others see a command line: prefer ${VARIABLE}."
    ),
]
ApiKeyFile = Annotated[
    Path | None, typer.Option("--api-key-file", metavar="FILE", help="Holds the key, on its first line.")
]
CaFile = Annotated[
    Path | None, typer.Option("--ca-file", metavar="FILE", help="Trust certificates that these (PEM) have signed.")
]
Insecure = Annotated[
    bool, typer.Option("--insecure", help="Trust any certificate: whoever sits in between can read the key.")
]
ClientCert = Annotated[
    Path | None, typer.Option("--client-cert", metavar="FILE", help="Certificate (PEM) of ours, for mutual TLS.")
]
ClientKey = Annotated[
    Path | None, typer.Option("--client-key", metavar="FILE", help="Its key, if that is in another file.")
]
Timeout = Annotated[
    float, typer.Option("--timeout", metavar="S", min=0.1, max=600.0, help="Seconds that an answer may take.")
]


@dataclass(frozen=True, slots=True)
class AccessFlags:
    """What the flags say. The key shows in no representation."""

    api_key: Token | None = None
    api_key_file: Path | None = None
    ca_file: Path | None = None
    insecure: bool = False
    client_cert: Path | None = None
    client_key: Path | None = None
    timeout_s: float = DEADLINE_S


def access_of(flags: AccessFlags, environment: Mapping[str, str] = os.environ) -> Access:
    """Return how to get in: a key by flag counts before one in a file, that before one in the environment.

    Raises UsageError for flags that contradict each other or that name what cannot be read.
    """
    if flags.client_key is not None and flags.client_cert is None:
        raise UsageError("--client-key does nothing without --client-cert", "add that, or leave it out")
    return Access(
        _token_of(flags, environment),
        flags.ca_file,
        flags.insecure,
        flags.client_cert,
        flags.client_key,
        flags.timeout_s,
    )


def token_of(text: str | None, source: str) -> Token | None:
    """Return the key that a text holds, None for no text. Raises UsageError, which names the source and no key."""
    if text is None:
        return None
    try:
        return Token(text)
    except EngineError as error:
        raise UsageError(f"{source}: {error.message}", error.hint) from None


def _token_of(flags: AccessFlags, environment: Mapping[str, str]) -> Token | None:
    if flags.api_key is not None and flags.api_key_file is not None:
        raise UsageError("--api-key and --api-key-file say the same", "leave one out")
    if flags.api_key is not None:
        return flags.api_key
    if flags.api_key_file is not None:
        return token_of(_first_line(flags.api_key_file), f"--api-key-file {flags.api_key_file}")
    return token_of(environment.get(VARIABLE) or None, VARIABLE)


def _first_line(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_MOST_BYTES).partition(b"\n")[0].decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"--api-key-file {path}: {error.strerror}", "name a file that can be read") from None

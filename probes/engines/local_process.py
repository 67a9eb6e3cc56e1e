"""The process that listens at a port of this machine, and what its command line says."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from probes.rings.processes import parent_of

_LISTEN = "0A"
_MOST_ANCESTORS = 3
"""A server that renames its processes has its command line in one of them."""
_MOST_BYTES = 256 * 1024


def flag_of_listener(port: int, flag: str, program: str) -> str | None:
    """Return what stands behind a flag of the process that listens at a port; "" for a flag that it does not have.

    None where no process of that program listens (a forwarder knows nothing), or where it may not be looked at.
    Words such as `--flag.name value` are put together to the JSON that they stand for.
    """
    pid = listener_at(port)
    seen = False
    for _ in range(_MOST_ANCESTORS):
        words = command_line(pid) if pid else ()
        found = flag_in(words, flag)
        if found is not None:
            return found
        seen = seen or (len(words) > 1 and any(program in word for word in words))
        pid = parent_of(pid) if pid else None
    return "" if seen else None


def flag_in(words: Sequence[str], flag: str) -> str | None:
    """Return what stands behind a flag on a command line, the last time that it does; None for one that does not."""
    value: str | None = None
    parts: dict[str, object] = {}
    for word, after in zip_longest(words, words[1:], fillvalue=""):
        name, equals, given = word.partition("=")
        name = name.replace("_", "-")
        said = given if equals else after
        if name == flag:
            value = said
        elif name.startswith(flag + "."):
            parts[word.partition("=")[0][len(flag) + 1 :].replace("-", "_")] = _meant(said)
    return json.dumps(parts) if parts else value


def listener_at(port: int) -> int | None:
    """Return the process that listens at a port over TCP, None where none does that we may look at."""
    sockets = {f"socket:[{inode}]" for table in ("tcp", "tcp6") for inode in _listening(table, port)}
    return next(_holders(sockets), None) if sockets else None


def command_line(pid: int) -> tuple[str, ...]:
    """Return the words that a process was started with, none where they cannot be read."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            raw = file.read(_MOST_BYTES)
    except OSError:
        return ()
    return tuple(raw.decode("utf-8", "replace").rstrip("\0").split("\0"))


def _listening(table: str, port: int) -> Iterator[str]:
    """Yield the inodes of sockets that listen at a port."""
    try:
        lines = Path(f"/proc/net/{table}").read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return
    for fields in map(str.split, lines):
        if len(fields) > 9 and fields[3] == _LISTEN and int(fields[1].rpartition(":")[2], 16) == port:
            yield fields[9]


def _holders(sockets: set[str]) -> Iterator[int]:
    """Yield the processes that have one of some sockets open, the oldest number first."""
    for pid in sorted(int(name) for name in os.listdir("/proc") if name.isdecimal()):
        try:
            descriptors = os.listdir(f"/proc/{pid}/fd")
        except OSError:
            continue
        if any(_link(f"/proc/{pid}/fd/{number}") in sockets for number in descriptors):
            yield pid


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _meant(text: str) -> object:
    """Return the value that a word stands for: a truth, else the text."""
    return {"true": True, "false": False}.get(text.lower(), text)

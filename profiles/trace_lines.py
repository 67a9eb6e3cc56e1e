"""The lines of a trace file, plain or compressed with gzip, one at a time.

A file comes from outside: it may be cut short, no text at all, or one endless line.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from stat import S_ISREG

from profiles.trace import TraceError

MOST_LINE_BYTES = 64 << 20
"""No line is longer: a prompt of a million tokens takes 7 MB."""

_GZIP_MAGIC = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"


def place(path: Path, number: int) -> str:
    """Return how messages name a line, counted from 1."""
    return f"{path}:{number}"


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the bytes of each line that is not blank. Raises TraceError where it cannot be read."""
    number = 0
    try:
        with _opened(path) as file:
            while line := file.readline(MOST_LINE_BYTES + 1):
                number += 1
                if len(line) > MOST_LINE_BYTES:
                    problem = f"{place(path, number)} has more than {MOST_LINE_BYTES >> 20} MiB"
                    raise TraceError(problem, "a trace has one request on each line")
                line = line.removeprefix(_UTF8_MARK).strip() if number == 1 else line.strip()
                if line:
                    yield number, line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise TraceError(f"{place(path, number + 1)} cannot be unpacked: {error}", "copy the file again") from error
    except OSError as error:
        raise _unreadable(path, error) from error


def head_of(path: Path, most_bytes: int) -> bytes:
    """Return the first bytes of a file as they lie there, still compressed. Raises TraceError without a file."""
    try:
        if not S_ISREG(path.stat().st_mode):
            raise TraceError(f"{path} is no file", "a trace is read more than once: save it to a file")
        with path.open("rb") as file:
            return file.read(most_bytes)
    except OSError as error:
        raise _unreadable(path, error) from error


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    """Open a file for reading what it holds, unpacked."""
    packed = head_of(path, len(_GZIP_MAGIC)) == _GZIP_MAGIC
    return gzip.open(path, "rb") if packed else path.open("rb")


def _unreadable(path: Path, error: OSError) -> TraceError:
    return TraceError(f"{path} cannot be read: {error.strerror or error}", "name a file that can be read")

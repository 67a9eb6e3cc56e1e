"""The header of a recording: what file it is, in which version, and the configuration of what was recorded.

8 bytes   magic
4 x u32   version, length of the configuration, its crc32, zero
...       the configuration as JSON, padded with blanks to 8 bytes
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from probes.block_stream import read_at
from probes.errors import RecordingError

RECORDING_MAGIC = b"RTREC\r\n\x1a"
RECORDING_VERSION = 2
MAX_CONFIG_BYTES = 1 << 24
MAX_CONFIG_DEPTH = 32
"""A configuration that is longer, or nested deeper, was not written by radixtop."""

_HEADER = struct.Struct("<8s4I")


@dataclass(frozen=True, slots=True)
class RecordingHeader:
    """The header of a recording; its blocks start at byte `size`."""

    version: int
    config: Mapping[str, object]
    size: int


def encode_header(config: Mapping[str, object]) -> bytes:
    """Return the bytes that a recording of this version starts with."""
    text = json.dumps(config).encode()
    text += b" " * (-len(text) % 8)
    return _HEADER.pack(RECORDING_MAGIC, RECORDING_VERSION, len(text), crc32(text), 0) + text


def read_header(path: Path, fd: int) -> RecordingHeader:
    """Read the header of an open file. Raises RecordingError when it is no recording that can be read here."""
    raw = read_at(fd, _HEADER.size, 0, str(path))
    if raw[: len(RECORDING_MAGIC)] != RECORDING_MAGIC[: len(raw)]:
        raise RecordingError(f"{path} is no radixtop recording", "make one with: radixtop live --record FILE")
    if len(raw) < _HEADER.size:
        raise _cut_header(path, len(raw))
    _, version, length, check, _ = _HEADER.unpack(raw)
    if version > RECORDING_VERSION:
        hint = "read it with the radixtop that wrote it, or upgrade this one"
        raise RecordingError(f"{path} has version {version}, this radixtop reads up to {RECORDING_VERSION}", hint)
    if version < 1 or length > MAX_CONFIG_BYTES:
        raise _damaged_header(path)
    text = read_at(fd, length, _HEADER.size, str(path))
    if len(text) < length:
        raise _cut_header(path, _HEADER.size + len(text))
    if crc32(text) != check:
        raise _damaged_header(path)
    return RecordingHeader(version, _parse(path, text), _HEADER.size + length)


def _parse(path: Path, text: bytes) -> Mapping[str, object]:
    try:
        config = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        config = None
    if not isinstance(config, dict) or _is_deep(config):
        raise RecordingError(f"the header of {path} is no configuration", "radixtop did not write it")
    return config


def _no_number(constant: str) -> None:
    """Read NaN and the infinities, which are no JSON, as unknown."""


def _is_deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(MAX_CONFIG_DEPTH):
        inner: list[object] = []
        for one in level:
            inner += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        if not inner:
            return False
        level = inner
    return True


def _damaged_header(path: Path) -> RecordingError:
    return RecordingError(f"the header of {path} is damaged", "its records cannot be trusted; record again")


def _cut_header(path: Path, size: int) -> RecordingError:
    return RecordingError(
        f"{path} is cut short after {size} bytes, inside its header", "it holds no record; record again"
    )

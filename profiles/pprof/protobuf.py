"""Fields of protocol buffers as bytes: just what writing a message takes, without generated code.

Encoding: https://protobuf.dev/programming-guides/encoding. A message is its fields one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable

_VARINT, _BYTES = 0, 2
_WORD = (1 << 64) - 1


def varint(value: int) -> bytes:
    """Return an integer seven bits a byte, the lowest first; one below 0 is its 64-bit complement."""
    value &= _WORD
    if value < 0x80:
        return bytes((value,))
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def integer(field: int, value: int) -> bytes:
    """Return an integer field; nothing for 0, which is what a field that is missing stands for."""
    return varint(field << 3 | _VARINT) + varint(value) if value else b""


def text(field: int, value: str) -> bytes:
    """Return a string field, an empty one too; what is no valid text is replaced."""
    return message(field, value.encode("utf-8", "replace"))


def message(field: int, *parts: bytes) -> bytes:
    """Return a field that holds a message, or bytes."""
    inner = b"".join(parts)
    return varint(field << 3 | _BYTES) + varint(len(inner)) + inner


def integers(field: int, values: Iterable[int]) -> bytes:
    """Return a repeated integer field, packed; zeros count."""
    return message(field, *map(varint, values))

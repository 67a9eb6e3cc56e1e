"""How a content key is written: 16 hexadecimal digits, or the first six of them where a hint is enough."""

from __future__ import annotations

_WORD = (1 << 64) - 1


def content_hash(content_key: int) -> str:
    """Return a content key, a signed 64-bit integer in records, as 16 hexadecimal digits."""
    return f"{content_key & _WORD:016x}"


def hash6(content_key: int) -> str:
    """Return the first six of the digits."""
    return content_hash(content_key)[:6]

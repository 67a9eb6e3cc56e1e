"""Numbers for what engines name by texts: requests and namespaces. Those texts are a user's and stay here.

A namespace is told as a hash of its text unless RADIXTOP_PROBE_NAMES is set.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from cache_core.event_codec import text_record
from cache_core.events import Namespace, RawRecord

OPEN_NAMES = "RADIXTOP_PROBE_NAMES"
"""Set to tell namespaces (LoRA names, extra keys, salts) by name."""

MOST_NAMESPACES = 1 << 14
"""More are forgotten, oldest first; one that comes again then has another number."""


class Namespaces:
    """Numbers namespaces from 1 on, and tells each before its first use; 0 is that of keys without one."""

    def __init__(self, tell: Callable[[RawRecord], None], *, openly: bool | None = None) -> None:
        self._tell = tell
        self._openly = os.environ.get(OPEN_NAMES, "") not in ("", "0") if openly is None else openly
        self._numbers: dict[tuple[str | None, str | None], int] = {}
        self._next = 1
        tell(text_record(Namespace, 0, ""))

    def records(self) -> list[RawRecord]:
        """State all that are known."""
        told = [(number, self._spoken(name)) for name, number in list(self._numbers.items())]
        return [text_record(Namespace, number, text) for number, text in ((0, ""), *told)]

    def number(self, key: Any) -> int:
        """Return the number of the namespace of an engine's key."""
        extra, salt = getattr(key, "extra_key", None), getattr(key, "cache_salt", None)
        if extra is None and salt is None:
            return 0
        name = (None if extra is None else str(extra), None if salt is None else str(salt))
        number = self._numbers.get(name)
        return self._new(name) if number is None else number

    def _new(self, name: tuple[str | None, str | None]) -> int:
        number = self._next
        self._next += 1
        self._numbers[name] = number
        if len(self._numbers) > MOST_NAMESPACES:
            del self._numbers[next(iter(self._numbers))]
        self._tell(text_record(Namespace, number, self._spoken(name)))
        return number

    def _spoken(self, name: tuple[str | None, str | None]) -> str:
        if self._openly:
            return " ".join(part for part in name if part is not None)
        return "ns-" + blake2b(repr(name).encode("utf-8", "replace"), digest_size=4).hexdigest()

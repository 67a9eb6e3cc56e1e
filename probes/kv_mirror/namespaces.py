"""What keeps prompts with the same tokens apart, told without telling secrets."""

from __future__ import annotations

from hashlib import blake2b

from cache_core.events import Namespace
from probes.kv.wire import Stored

PLAIN = 0
"""The namespace of prompts that nothing keeps apart from others."""

_OTHERS = "others"
MOST = 10_000
"""Namespaces that are told apart; those that come later share one."""


class Namespaces:
    """Numbers namespaces as they come."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {"": PLAIN}

    def of(self, event: Stored) -> tuple[int, Namespace | None]:
        """Return the number of an event's namespace, and its name if it was not told before."""
        text = spoken(event)
        known = self._ids.get(text)
        if known is not None:
            return known, None
        if len(self._ids) >= MOST:
            text = _OTHERS
        if text in self._ids:
            return self._ids[text], None
        id_ = self._ids[text] = len(self._ids)
        return id_, Namespace(id_, text)

    def told(self) -> list[Namespace]:
        """Return all names again, for who did not hear them."""
        return [Namespace(id_, text) for text, id_ in self._ids.items() if id_ != PLAIN]


def spoken(event: Stored) -> str:
    """Return the name of an event's namespace: LoRAs by theirs, whatever else keeps prompts apart by a hash of it."""
    words = [f"lora {event.lora}"] if event.lora else []
    if event.salt:
        words.append(f"salt {_hidden(event.salt)}")
    elif not event.lora and event.extra_keys and event.extra_keys[0]:
        words.append(f"keys {_hidden(repr(event.extra_keys[0]))}")
    return ", ".join(words)


def _hidden(secret: str) -> str:
    return blake2b(secret.encode(errors="replace"), digest_size=3).hexdigest()

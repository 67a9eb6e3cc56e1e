"""Texts by the tokens that they stand for, as many as there is room for."""

from __future__ import annotations

from collections import OrderedDict

MOST_CHARACTERS = 4_000_000
LONGEST = 16_384
"""Characters that are kept of one text: more than a screen shows of it."""

_OF_A_TEXT = 200
"""What a text takes besides, told in characters."""


class TextCache:
    """Forgets what was looked at longest ago."""

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._most = most_characters
        self._texts: OrderedDict[bytes, str] = OrderedDict()
        self._room = most_characters

    def __len__(self) -> int:
        """Return how many texts there are."""
        return len(self._texts)

    def get(self, tokens: bytes) -> str | None:
        """Return the text of some tokens, None where it is not known."""
        text = self._texts.get(tokens)
        if text is not None:
            self._texts.move_to_end(tokens)
        return text

    def put(self, tokens: bytes, text: str) -> None:
        """Keep the beginning of a text; others go for it."""
        gone = self._texts.pop(tokens, None)
        if gone is not None:
            self._room += _size(tokens, gone)
        text = text[:LONGEST]
        self._texts[tokens] = text
        self._room -= _size(tokens, text)
        while self._room < 0 and len(self._texts) > 1:
            self._room += _size(*self._texts.popitem(last=False))


def _size(tokens: bytes, text: str) -> int:
    return len(tokens) + len(text) + _OF_A_TEXT

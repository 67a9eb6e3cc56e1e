"""What frames are called: the names of workload segments and six digits of the content key, fit for every format.

No counts, ids or ages: two recordings of the same load must call the same content the same, or a comparison of
them is noise. No token ids: prompts are private.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from probes.content_hash import hash6

_KEY = re.compile(r" ·([0-9a-f]{6})\Z")

LONGEST_TEXT = 64
UNNAMED = "tokens"
"""The text of content that no segment names."""


def label(text: str, key: int) -> str:
    """Return the label of content with this text and key.

    The key at the end keeps a text that ends in a number from being read as a count: collapsed stacks have
    their weight there.
    """
    return f"{clean(text)} ·{hash6(key)}"


def parted(label: str) -> tuple[str, str]:
    """Return the text of a label and the digits of its key; no digits where what has the label has no content."""
    found = _KEY.search(label)
    return (label, "") if found is None else (label[: found.start()], found[1])


def clean(text: str, unnamed: str = UNNAMED, most: int = LONGEST_TEXT) -> str:
    """Return `text` in one line, without the separator of stacks and without control characters, not too long.

    What nothing is left of is `unnamed`. Of a text that is many times too long only its ends are looked at.
    """
    if len(text) > 4 * most:
        text = f"{text[: 2 * most]}…{text[-2 * most :]}"
    return _cleaned(text, most) or unnamed


@lru_cache(maxsize=1 << 14)
def _cleaned(text: str, most: int) -> str:
    """Clean a text whose length is bounded. The names of a run are few, and asked for once a frame and more."""
    text = text.replace("\r\n", "⏎").replace("\n", "⏎").replace(";", "；")
    text = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    if len(text) > most:
        half = most // 2
        text = f"{text[: half - 1].rstrip()}…{text[-half:].lstrip()}"
    return text


def join(names: Sequence[str]) -> str:
    """Return one text for content that reaches over several segments: both of two, the ends of more."""
    if len(names) > 2:
        return f"{names[0]} … {names[-1]}"
    return " + ".join(names)

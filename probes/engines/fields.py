"""Fields of JSON that others wrote: each is what it has to be, or it is not there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

MOST_CHARACTERS = 200
"""Of a name: no model, version or topic has more."""

Fields = Mapping[str, object]
_VERSION = re.compile(r"v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?")


def fields_of(value: object) -> Fields:
    """Return an object of JSON, empty for anything else."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> Sequence[object]:
    """Return an array of JSON, empty for anything else."""
    return value if isinstance(value, list) else ()


def text_in(fields: Fields, *names: str) -> str | None:
    """Return the first of some fields that is a text and no long one."""
    said = (value for value in map(fields.get, names) if isinstance(value, str))
    text = next((text for text in said if 0 < len(text) <= MOST_CHARACTERS), None)
    return None if text is None else text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text


def whole_in(fields: Fields, name: str, least: int, most: int) -> int | None:
    """Return a field that is a whole number within bounds."""
    said = fields.get(name)
    return said if isinstance(said, int) and not isinstance(said, bool) and least <= said <= most else None


def switch_in(fields: Fields, name: str) -> bool | None:
    """Return a field that is true or false."""
    said = fields.get(name)
    return said if isinstance(said, bool) else None


def parsed_fields(text: object) -> Fields:
    """Return the object that a text of JSON holds, empty for anything else."""
    if not isinstance(text, str):
        return {}
    try:
        return fields_of(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def version_of(text: str | None) -> tuple[int, int, int] | None:
    """Return the numbers of a version, None for one that says nothing, such as that of a build from source."""
    found = _VERSION.match(text or "")
    numbers = (int(found[1]), int(found[2]), int(found[3] or 0)) if found else (0, 0, 0)
    return numbers if any(numbers) else None

"""The fields of one line of a trace, read with the checks that text from outside needs."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import NoReturn

from profiles.trace import ID_BYTES, TraceError
from profiles.trace_lines import place

MOST_PROMPT_TOKENS = 1 << 24
"""No prompt is longer, whatever a trace says: tokens are made of what it says."""

NS_PER_S = 1_000_000_000
NS_PER_MS = 1_000_000

_MOST_NS = 1 << 62
_MOST_NAME_CHARACTERS = 1024
_SHOWN_CHARACTERS = 40
_WHOLE = frozenset({int})


class Fields:
    """An object of JSON and the line that it comes from. Whatever is not as it should be raises TraceError."""

    __slots__ = ("_fields", "_number", "_path")

    def __init__(self, path: Path, number: int, line: bytes) -> None:
        self._path = path
        self._number = number
        try:
            read = json.loads(line.decode("utf-8"), parse_constant=_no_number)
        except UnicodeDecodeError:
            raise self.wrong("is not UTF-8", "a trace is text, or text compressed with gzip") from None
        except RecursionError:
            raise self.wrong("is nested too deeply", "a request is a flat object") from None
        except ValueError as error:
            raise self.wrong(f"is no JSON: {error}", "a trace has one JSON object on each line") from None
        if not isinstance(read, dict):
            raise self.wrong(f"is no object but {_shown(read)}", "a trace has one JSON object on each line")
        self._fields: Mapping[str, object] = read

    def __contains__(self, name: str) -> bool:
        """Say whether there is a field, even one that says nothing."""
        return name in self._fields

    def wrong(self, problem: str, hint: str) -> TraceError:
        """Return the error that names this line."""
        return TraceError(f"{place(self._path, self._number)} {problem}", hint)

    def get(self, name: str) -> object:
        """Return a field as it is, None without it."""
        return self._fields.get(name)

    def lift(self, containers: tuple[str, ...], levels: int = 4) -> None:
        """Take in the fields of objects in this one, and in those; a field that is there already stays."""
        lifted = dict(self._fields)
        level = [self._fields]
        for _ in range(levels):
            found = [inside.get(name) for inside in level for name in containers]
            level = [each for each in found if isinstance(each, dict)]
            for each in level:
                lifted = {**each, **lifted}
        self._fields = lifted

    def count(self, name: str, least: int = 0, most: int = MOST_PROMPT_TOKENS) -> int:
        """Return a field that is a whole number."""
        value = self._fields.get(name)
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int or not least <= value <= most:
            raise self._not(name, f"a whole number from {least:,} to {most:,}")
        return value

    def time_ns(self, name: str, unit_ns: int) -> int:
        """Return a field that is a time, in a unit or as text that says so many of it."""
        value = self._fields.get(name)
        if isinstance(value, str):
            value = _number(value)
        if type(value) is int and abs(value) <= _MOST_NS // unit_ns:
            return value * unit_ns
        if type(value) is float and math.isfinite(value) and abs(value) <= _MOST_NS / unit_ns:
            return round(value * unit_ns)
        raise self._not(name, "a time")

    def text(self, name: str) -> str | None:
        """Return a field that is a name: text, or a number as text; None without it."""
        value = self._fields.get(name)
        if value is None:
            return None
        if type(value) is int and abs(value) <= _MOST_NS:
            return str(value)
        if not isinstance(value, str) or len(value) > _MOST_NAME_CHARACTERS:
            raise self._not(name, f"a name of at most {_MOST_NAME_CHARACTERS:,} characters")
        return value.encode("utf-8", "replace").decode("utf-8")  # JSON can spell halves of characters

    def members(self, name: str) -> Mapping[str, object]:
        """Return a field that is an object."""
        value = self._fields.get(name)
        if not isinstance(value, dict):
            raise self._not(name, "an object")
        return value

    def ids(self, name: str) -> bytes:
        """Return a field that is a list of ids, packed as a path."""
        return self.packed(self._fields.get(name), name)

    def packed(self, values: object, name: str) -> bytes:
        """Return a list of ids, packed as a path; `name` is the field that they come from."""
        if not isinstance(values, list):
            raise self._not(name, "a list of ids", values)
        if set(map(type, values)) <= _WHOLE:
            try:
                return array("q", values).tobytes()
            except OverflowError:  # hashes without a sign
                pass
        packed = array("q")
        for value in values:
            if type(value) is not int and type(value) is not str:
                raise self._not(name, "a list of ids, numbers or names", value)
            packed.append(_id_of(value))
        return packed.tobytes()

    def _not(self, name: str, wanted: str, value: object = None) -> TraceError:
        """Return the error for a field that is not what it should be."""
        if value is None:
            value = self._fields.get(name)
        if value is None:
            return self.wrong(f"lacks `{name}`", f"every request of this format has it: {wanted}")
        return self.wrong(f"has {_shown(value)} as `{name}`", f"it should be {wanted}")


def _id_of(value: int | str) -> int:
    """Return an id that takes 64 bits: of numbers up to there themselves, of all others a hash."""
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 64:
        return value - (1 << 64) if value >= 1 << 63 else value
    text = value if isinstance(value, str) else hex(value)
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=ID_BYTES).digest()
    return int.from_bytes(digest, "little", signed=True)


def _number(text: str) -> int | float | None:
    """Return the number that a short text says."""
    try:
        return (
            (int if text.strip().lstrip("-").isdecimal() else float)(text) if len(text) <= _SHOWN_CHARACTERS else None
        )
    except ValueError:
        return None


def _shown(value: object) -> str:
    """Return how a value looks in a message: not more of it than one can read."""
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value):,}"
    if type(value) is int and abs(value) >= 1 << 64:
        return "a huge number"
    text = json.dumps(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 3]}..."


def _no_number(name: str) -> NoReturn:
    """Refuse what JSON does not know as a number."""
    raise ValueError(f"{name} is no number of JSON")

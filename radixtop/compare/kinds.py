"""What each setting takes, by its type, and the value that a text on the command line names."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Literal, Union, get_args, get_origin

from radixtop.errors import UsageError

Parse = Callable[[str, str], object]
"""Returns the value that a text names for a key. Raises UsageError, which says what would."""

_SWITCH = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}
_MOST_DIGITS = 19


def parser_of(annotation: object) -> Parse:
    """Return what reads the values of a setting of this type."""
    if get_origin(annotation) in (Union, types.UnionType):
        kinds = [each for each in get_args(annotation) if not _is_mapping(each)]
        inner = parser_of(next(each for each in kinds if each is not types.NoneType))
        return _or_none(inner) if types.NoneType in kinds else inner
    if get_origin(annotation) is Literal:
        return _one_of(tuple(map(str, get_args(annotation))))
    if get_origin(annotation) is tuple:
        item = get_args(annotation)[0]
        return _pairs if get_origin(item) is tuple else _names
    known: Mapping[object, Parse] = {bool: _switch, int: _whole, float: _number}
    return known.get(annotation, _text)


def _is_mapping(annotation: object) -> bool:
    origin = get_origin(annotation)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _or_none(inner: Parse) -> Parse:
    return lambda key, text: None if text == "none" else inner(key, text)


def _one_of(choices: tuple[str, ...]) -> Parse:
    def parse(key: str, text: str) -> str:
        if text not in choices:
            raise UsageError(f"{key}={text!r} is unknown", f"choose from: {', '.join(choices)}")
        return text

    return parse


def _switch(key: str, text: str) -> bool:
    value = _SWITCH.get(text.lower())
    if value is None:
        raise UsageError(f"{key}={text!r} is neither on nor off", f"{key}=on,off")
    return value


def _whole(key: str, text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > _MOST_DIGITS:
        raise UsageError(f"{key}={text!r} is no whole number", f"such as {key}=1,16,64")
    return int(text)


def _number(key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if value != value or value in (float("inf"), float("-inf")):
        raise UsageError(f"{key}={text!r} is no number", f"such as {key}=0.5,1")
    return value


def _text(key: str, text: str) -> str:
    return text


def _names(key: str, text: str) -> tuple[str, ...]:
    return tuple(text.split("+"))


def _pairs(key: str, text: str) -> tuple[tuple[str, int], ...]:
    pairs = (pair.partition("=") for pair in text.split("+") if pair != "none")
    return tuple((name, _whole(f"{key}={name}", number)) for name, _, number in pairs)

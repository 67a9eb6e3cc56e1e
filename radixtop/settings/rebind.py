"""Other keys for actions, as a file of settings gives them: checked against the one table, and read off it again."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable
from itertools import combinations

from textual.keys import KEY_NAME_REPLACEMENTS, Keys, format_key

from radixtop.errors import UsageError
from radixtop.keymap import KEYS, Key, places_of

_NAMED = frozenset(key.value for key in Keys if not key.value.startswith("<")) | {"space", "comma"}
_SENT_AS = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace"}
"""Keys that terminals send as others; what is bound to one of these never comes."""
_RESERVED = "ctrl+c"
"""What always quits."""


def rebound(given: Iterable[tuple[str, str]], where: str = "[keys]") -> tuple[Key, ...]:
    """Return the table of keys with these for the actions named, as pairs of an action and its keys.

    Raises UsageError, which begins with `where`, for an action or a key that does not exist and for one key that two
    actions would share.
    """
    names = {key.name: place for place, key in enumerate(KEYS) if not is_fixed(key)}
    keys = [*KEYS]
    for action, text in given:
        if action not in names:
            raise UsageError(f"{where}: unknown action {action!r}", _near(action, names))
        parts = [_key_of(part.strip(), where, action) for part in text.split(",")]
        place = names[action]
        keys[place] = keys[place]._replace(names=",".join(parts), sign=" ".join(map(_sign, parts)))
    _check_shared(keys, where)
    return (*keys,)


def is_fixed(key: Key) -> bool:
    """Return whether an action keeps its key: views have their numbers in the header."""
    return key.name.startswith("view.")


def _key_of(text: str, where: str, action: str) -> str:
    """Return Textual's name of a key that is written by its name or its character."""
    *modifiers, key = text.split("+") if len(text) > 1 else [text]
    if len(key) == 1 and key.isprintable():
        key = key if key.isalnum() else _name_of(key)
        is_known = True
    else:
        key = KEY_NAME_REPLACEMENTS.get(key, key)
        is_known = key in _NAMED or _is_character_name(key)
    name = "+".join([*modifiers, key])
    are_modifiers = {*modifiers} <= {"ctrl", "shift", "alt"} and len({*modifiers}) == len(modifiers)
    if not is_known or not are_modifiers:
        hint = "a key is a character or a name, such as: p, space, ctrl+p, f5, pagedown, comma; several with commas"
        raise UsageError(f"{where}: {text!r}, for {action}, is no key", hint)
    if name in _SENT_AS:
        hint = f"name that one, or another key, for {action}"
        raise UsageError(f"{where}: {name} never comes: terminals send {_SENT_AS[name]} for it", hint)
    if name == _RESERVED:
        raise UsageError(f"{where}: {action} cannot have {_RESERVED}, which always quits")
    return name


def _name_of(character: str) -> str:
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


def _is_character_name(name: str) -> bool:
    """Return whether a character of ASCII is called this, as `question_mark`."""
    sign = format_key(name)
    return len(sign) == 1 and sign.isascii()


def _sign(name: str) -> str:
    modifiers, plus, key = name.rpartition("+")
    return modifiers + plus + ("enter" if key == "enter" else format_key(key))


def _check_shared(keys: Iterable[Key], where: str) -> None:
    """Raise UsageError for a key of two actions that can be meant at once, unless the table has it so."""
    usual = {frozenset((a.name, b.name)) for a, b in combinations(KEYS, 2) if _shared(a, b)}
    for first, second in combinations(keys, 2):
        key = _shared(first, second)
        if key and frozenset((first.name, second.name)) not in usual:
            raise UsageError(f"{where}: {key} is both {first.name} and {second.name}", "give one of them another key")


def _shared(first: Key, second: Key) -> str:
    """Return a key that both have where both can be meant, or ""."""
    if first.place not in places_of(second.place) and second.place not in places_of(first.place):
        return ""
    return min({*first.names.split(",")} & {*second.names.split(",")}, default="")


def _near(action: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(action, [*names], n=3)
    return f"did you mean {' or '.join(near)}? " * bool(near) + "`radixtop --debug-options` lists every action"

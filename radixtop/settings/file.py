"""What stands in a file of settings. Whoever wrote it, one clear error says what is wrong with it."""

from __future__ import annotations

import difflib
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from radixtop.errors import UsageError
from radixtop.settings.kind import Value
from radixtop.settings.setting import HZ, SETTINGS, Setting

MOST_BYTES = 64 * 1024
"""No file of settings is longer."""

KNOWN: Mapping[str, Setting] = {each.name: each for each in (*SETTINGS, HZ)}


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What a file says: values of settings, and the keys of actions, in its order."""

    path: Path
    values: Mapping[str, Value] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)


def read(path: Path) -> SettingsFile:
    """Read a file of settings. Raises UsageError, which names the file and the line or the key, OSError."""
    text = _text_of(path)
    try:
        said = tomllib.loads(text)
    except RecursionError:
        raise UsageError(f"{path}: this nests too deep for a file of settings") from None
    except ValueError as error:
        raise UsageError(f"{path}: no TOML: {error}", 'settings are lines such as: theme = "light"') from None
    keys = said.pop("keys", {})
    found = _Found(path, text)
    values = {name: found.value(name, value) for name, value in said.items()}
    return SettingsFile(path, values, found.keys(keys))


def _text_of(path: Path) -> str:
    if not stat.S_ISREG(path.stat().st_mode):
        raise UsageError(f"{path}: no file of settings", "name a TOML file: --config FILE")
    with open(path, "rb") as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise UsageError(f"{path}: longer than {MOST_BYTES // 1024} KiB, which no file of settings is")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: byte {error.start} is no UTF-8", "save it as UTF-8") from None


class _Found:
    """What was found in a file, and where."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.split("\n")

    def value(self, name: str, value: object) -> Value:
        """Return what the value of a setting means."""
        if name not in KNOWN:
            raise UsageError(f"{self._where(name)}: unknown setting {name!r}", _choose(name, (*KNOWN, "[keys]")))
        try:
            return KNOWN[name].kind.of_value(value)
        except ValueError as error:
            said = f"{self._where(name)}: {name} = {_written(value)}"
            raise UsageError(said, f"{name} is {error}") from None

    def keys(self, said: object) -> dict[str, str]:
        """Return the keys of actions; whether there are such actions and keys the key map judges."""
        if not isinstance(said, dict):
            raise UsageError(f"{self._where('keys')}: keys is a table", 'such as: [keys] and then "app.pause" = "p"')
        for action, keys in said.items():
            if not isinstance(keys, str):
                hint = f'such as: "{action}" = "p"' + ("; quote a name with a dot" if isinstance(keys, dict) else "")
                raise UsageError(f"{self._where(action)}: the keys of {action!r} are no text", hint)
        return said

    def _where(self, name: str) -> str:
        """Return the file and, where a line begins with the name, its number."""
        pattern = re.compile(rf"\s*\[?\s*[\"']?{re.escape(name)}\b")
        lines = (number for number, line in enumerate(self._lines, start=1) if pattern.match(line))
        number = next(lines, None)
        return f"{self._path}" + (f", line {number}" if number else "")


def _choose(name: str, names: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return (f"did you mean {near[0]}? " if near else "") + f"choose from: {', '.join(names)}"


def _written(value: object) -> str:
    """Return a value as it may have been written, of a long one the beginning."""
    text = str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:40] + "…"

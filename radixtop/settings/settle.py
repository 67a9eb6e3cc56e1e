"""Who wins: a flag over the environment over a file over the default, and who that was."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from radixtop.errors import UsageError
from radixtop.settings.kind import Value
from radixtop.settings.place import find
from radixtop.settings.setting import HZ, SETTINGS, Setting, Settings

_INTERVAL = "interval"


@dataclass(frozen=True, slots=True)
class Settled:
    """The settings that won, where each came from, and the file that was read, if any."""

    settings: Settings
    origins: Mapping[str, str]
    """By the name of a setting or of an action whose keys were given."""
    file: Path | None


@dataclass(frozen=True, slots=True)
class _Layer:
    """Values that one place gives, and what each is called there."""

    values: Mapping[str, Value]
    names: Mapping[str, str]


def settle(flags: Mapping[str, Value | None], config: Path | None = None) -> Settled:
    """Return the settings for flags (None: not given), with the environment and the file of this process.

    Raises UsageError for what cannot be meant, with its place and the choices; OSError for a file that was named and
    cannot be read.
    """
    file, by_file, keys = _file(config)
    layers = [by_file, _environment(os.environ), _flags(flags)]
    values: dict[str, Value] = {}
    origins = dict.fromkeys((each.name for each in SETTINGS), "default")
    for layer in layers:
        values |= layer.values
        origins |= {name: layer.names[name] for name in layer.values}
    origins |= {action: str(file) for action, _ in keys}
    return Settled(Settings(**values, keys=keys, chooses_view="view" in values), origins, file)  # type: ignore[arg-type]


def _file(config: Path | None) -> tuple[Path | None, _Layer, tuple[tuple[str, str], ...]]:
    path = find(config, os.environ, Path())
    if path is None:
        return None, _Layer({}, {}), ()
    from radixtop.settings.file import read  # TOML is read where there is some

    said = read(path)
    keys = tuple(said.keys.items())
    if keys:
        from radixtop.settings.rebind import rebound

        rebound(keys, f"{path}, [keys]")
    return path, _layer(dict(said.values), dict.fromkeys(said.values, str(path))), keys


def _environment(environment: Mapping[str, str]) -> _Layer:
    values: dict[str, Value] = {}
    names = {}
    if environment.get("NO_COLOR"):
        values["color"], names["color"] = False, "NO_COLOR"
    for setting in (*SETTINGS, HZ):
        text = environment.get(setting.variable)
        if text:
            values[setting.name] = _value_of(setting, text)
            names[setting.name] = setting.variable
    return _layer(values, names)


def _value_of(setting: Setting, text: str) -> Value:
    try:
        return setting.kind.of_text(text)
    except ValueError as error:
        raise UsageError(f"{setting.variable}={text[:40]}: {setting.name} is {error}") from None


def _flags(flags: Mapping[str, Value | None]) -> _Layer:
    given = {name: value for name, value in flags.items() if value is not None}
    names = {each.name: _flag_of(each, given.get(each.name)) for each in (*SETTINGS, HZ)}
    return _layer(given, {name: names[name] for name in given})


def _flag_of(setting: Setting, value: Value | None) -> str:
    """Return the flag that gives a setting this value, as it is written out."""
    written = next(flag for flag in setting.flags if flag.startswith("--"))
    yes, _, no = written.partition("/")
    return no if value is False else yes


def _layer(values: dict[str, Value], names: dict[str, str]) -> _Layer:
    """Return a layer in which `hz` stands as the interval that it means."""
    if HZ.name in values:
        if _INTERVAL in values:
            both = " and ".join(dict.fromkeys((names[HZ.name], names[_INTERVAL])))  # in a file both have its name
            raise UsageError(f"{both}: hz and interval say the same", "leave one out")
        hz, name = values.pop(HZ.name), names.pop(HZ.name)
        assert isinstance(hz, float), f"{hz=}"
        values[_INTERVAL], names[_INTERVAL] = 1 / hz, name
    return _Layer(values, names)

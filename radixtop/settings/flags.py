"""The flags of all settings, for every command that watches: read off the one table, so that help and names agree."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from radixtop.errors import OK
from radixtop.settings.kind import Choice, LoadedChoice, Switch, Value
from radixtop.settings.setting import HZ, SETTINGS, Setting
from radixtop.settings.settle import settle

_PARAMETER = "settings"


def with_settings(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the flags of all settings; as `settings` it gets what wins, with file and environment."""
    hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=hints[name])
        for name, parameter in inspect.signature(command).parameters.items()
        if name != _PARAMETER
    ]
    flags = [_parameter(each.name, _option(each)) for each in (*SETTINGS, HZ)]

    @wraps(command)
    def run(**given: Any) -> int:
        said = {each.name: given.pop(each.name) for each in (*SETTINGS, HZ)}
        settled = settle(said, given.pop("config"))
        if given.pop("debug_options"):
            from radixtop.settings.debug_options import told

            typer.echo("\n".join(told(settled)))
            return OK
        return command(**given, **{_PARAMETER: settled.settings})

    parameters = [*own, *flags, _parameter("config", _CONFIG), _parameter("debug_options", _DEBUG_OPTIONS, False)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


_METAVARS = {"interval": "SECS", "hz": "HZ", "history": "SIZE"}


def _parameter(name: str, annotation: object, default: object = None) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _option(setting: Setting) -> object:
    """Return the annotation of a flag that was not given unless it has a value."""
    kind = setting.kind
    if isinstance(kind, Switch):
        return Annotated[bool | None, typer.Option(*setting.flags, help=setting.help, show_default=False)]
    shown = _METAVARS.get(setting.name, "NAME")
    if isinstance(kind, Choice) and not isinstance(kind, LoadedChoice):
        shown = "|".join(kind.names)

    def check(text: str | None) -> Value | None:
        try:
            return None if text is None else kind.of_text(text)
        except ValueError as error:
            raise typer.BadParameter(f"{text!r} is not {error}.") from None

    option = typer.Option(*setting.flags, metavar=shown, callback=check, help=setting.help)
    return Annotated[str | None, option]


_CONFIG = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Settings; else $RADIXTOP_CONFIG, ./radixtop.toml, or the user's."),
]
_DEBUG_OPTIONS = Annotated[
    bool, typer.Option("--debug-options", help="Print every setting, its value and where that came from.")
]

"""The contract of a subcommand and the table of all of them.

A subcommand is a module of `commands/` with an `app` made by `command_app`: one typer function, or one per
word that follows (`radixtop profile flame`). The function returns its exit code, or None for 0. The table
carries the summary, so that `radixtop --help` imports no command at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest

from radixtop.errors import UsageError

TYPE_CHECKING = False  # that of `typing`, and of what follows a function's first line: --help waits for no import
if TYPE_CHECKING:
    from typing import Any

    import typer


class Command:
    """Where a subcommand lives and what it does in one line."""

    __slots__ = ("module", "summary")

    def __init__(self, module: str, summary: str) -> None:
        self.module = module
        self.summary = summary


COMMANDS: dict[str, Command] = {
    "live": Command("radixtop.commands.live", "Serve a live workload on the embedded cache and watch it."),
    "attach": Command("radixtop.commands.attach", "Watch a cache or servers that run already."),
    "run": Command("radixtop.commands.run", "Start an SGLang or vLLM server with our probes in its process."),
    "record": Command("radixtop.commands.record", "Save what a cache does to a file."),
    "play": Command("radixtop.commands.play", "Watch a recording in the same screens."),
    "replay": Command("radixtop.commands.replay", "Drive the core with a request trace, no model."),
    "web": Command("radixtop.commands.web", "Show the dashboard in a browser, on this machine."),
    "compare": Command("radixtop.commands.compare", "What if: one trace under many settings, side by side."),
    "explain": Command("radixtop.commands.explain", "Why one request hit what it hit, and missed the rest."),
    "profile": Command("radixtop.commands.profile", "Export what a recording holds to other tools."),
    "why": Command("radixtop.commands.why", "Say what costs hits, since when, and what to change."),
    "doctor": Command("radixtop.commands.doctor", "Say what works here, what a target gives, what to switch on."),
    "bench": Command("radixtop.commands.bench", "Measure this machine, as ratios inside one run."),
}


OPTIONAL_VALUES = {"--kv-events": "tcp://127.0.0.1:5557"}
"""Flags that may stand alone, and the value that they then have; typer knows no such flags."""


def with_values(arguments: list[str]) -> list[str]:
    """Return arguments in which every flag of `OPTIONAL_VALUES` has a value; what follows a `--` is not ours."""
    filled = []
    ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
    for argument, after in zip_longest(ours, arguments[1 : len(ours) + 1], fillvalue="-"):
        filled.append(argument)
        if argument in OPTIONAL_VALUES and after.startswith("-"):
            filled.append(OPTIONAL_VALUES[argument])
    return filled + arguments[len(ours) :]


HELP = {"help_option_names": ["-h", "--help"]}
"""What a command with context settings of its own has to have among them."""


def command_app() -> typer.Typer:
    """Return an empty typer application with the manners of radixtop: plain text and plain errors."""
    import typer

    return typer.Typer(
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={**HELP},
    )


def show_as_written(command: Any) -> None:
    """Let the help of a command, and of those below it, show an argument as its metavar is written.

    typer adds brackets and the Python type: `{PID | -- COMMAND ...}...`, `FILE <path>`.
    """
    from functools import partial

    for argument in command.params:
        if argument.param_type_name == "argument":
            argument.get_usage_pieces = partial(_usage_of, argument)
            argument.get_help_record = partial(_help_of, argument)
    for below in getattr(command, "commands", {}).values():
        show_as_written(below)


def _usage_of(argument: Any, context: object) -> list[str]:
    return [argument.metavar]


def _help_of(argument: Any, context: object) -> tuple[str, str]:
    return argument.metavar, argument.help or ""


def require_use(context: typer.Context, needs: Mapping[str, tuple[bool, str]]) -> None:
    """Raise UsageError for a flag on the command line that does nothing without another one.

    `needs` has for the parameter of such a flag whether that is there, and what it is.
    """
    for name, (is_met, needed) in needs.items():
        source = context.get_parameter_source(name)
        if not is_met and source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"{_flag_of(context, name)} does nothing without {needed}", "add that, or leave it out")


def _flag_of(context: typer.Context, name: str) -> str:
    """Return what a parameter is called on the command line."""
    return next(parameter.opts[0] for parameter in context.command.params if parameter.name == name)


def given_flags(context: typer.Context) -> list[str]:
    """Return the parameters that are on the command line."""
    sources = ((name, context.get_parameter_source(name)) for name in context.params)
    return [name for name, source in sources if source is not None and source.name == "COMMANDLINE"]


def load(name: str) -> typer.Typer:
    """Import one subcommand and return its application; raise UsageError, which lists the names, for another."""
    if name not in COMMANDS:
        raise UsageError(f"{name!r} is no command", f"choose from: {', '.join(COMMANDS)}")
    from importlib import import_module

    app: typer.Typer = import_module(COMMANDS[name].module).app
    return app

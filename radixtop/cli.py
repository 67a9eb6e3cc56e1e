"""The `radixtop` command: picks a subcommand and turns every error into a message and an exit code.

This is the only place that maps errors: 0 ok, 1 the run failed, or a target is unreachable or tells nothing, 2 usage,
130 interrupted, 143 told to end (SIGTERM). stdout carries what was asked for, stderr the rest; nothing here writes a
colour.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from radixtop.command import COMMANDS, load, show_as_written, with_values
from radixtop.errors import INTERRUPTED, OK, USAGE, exit_code_of, message_of
from radixtop.printable import tell

TYPE_CHECKING = False  # that of `typing`: --help waits for no import that it does not need
if TYPE_CHECKING:
    from typing import Any

_HELP = """\
Usage: radixtop [COMMAND] [OPTIONS]

  top(1) and a profiler for LLM prefix caches. Without a command: radixtop live.

Commands:
{commands}

Options:
  -V, --version  Show the version and exit.
  -h, --help     Show this text and exit; `radixtop COMMAND --help` says more.
  --install-completion, --show-completion [bash|zsh|fish]
                 Let a shell complete commands, flags and choices, or print what it needs for that.

Example: radixtop live --workload shared_prompt --window 128
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run radixtop with these arguments (those of the process when None) and return the exit code."""
    _ready_streams()
    asked = sys.argv[1:] if arguments is None else [*arguments]
    try:
        code = OK if _tell_about_itself(asked) else _dispatch(asked)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader has what it wanted. stdout now points nowhere, so that the interpreter's last flush is silent.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt as end:
        return getattr(end, "exit_code", INTERRUPTED)  # a signal that ends has one of its own
    except Exception as error:  # the one place where errors end; a bug keeps its traceback
        known = exit_code_of(error)
        if known is None:
            raise
        return _say(*message_of(error), known)


def _ready_streams() -> None:
    """Let a standard stream that the caller closed lead nowhere, for the next file must not get its number.

    A character that the encoding of stdout lacks is escaped, as on stderr.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r" if number == 0 else "w"))
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _tell_about_itself(arguments: list[str]) -> bool:
    """Answer a question about radixtop itself; say whether it was one."""
    if arguments[:1] in (["-h"], ["--help"]):
        width = max(map(len, COMMANDS))
        rows = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
        sys.stdout.write(_HELP.format(commands="\n".join(rows)))
        return True
    if arguments[:1] in (["-V"], ["--version"]):
        from radixtop import __version__

        sys.stdout.write(f"radixtop {__version__}\n")
        return True
    if arguments and arguments[0] in ("--complete", "--show-completion", "--install-completion"):
        from radixtop.completion.scripts import answer

        answer(arguments)
        return True
    return False


def _dispatch(arguments: list[str]) -> int:
    from radixtop.termination import terminated_in_order

    with terminated_in_order():
        return _begin(arguments)


def _begin(arguments: list[str]) -> int:
    from radixtop.needs import is_terminal

    if not arguments and is_terminal(sys.stdout):
        # The main job with its defaults needs no parser: the screen is there without waiting for one.
        from radixtop.serving.run_config import RunConfig
        from radixtop.settings.settle import settle
        from radixtop.watch import watch_run

        return watch_run(RunConfig(), settle({}).settings)
    if arguments[:1] == ["attach"] and _is_plain(arguments[1:]) and is_terminal(sys.stdout):
        from radixtop.settings.settle import settle
        from radixtop.watch import watch_target

        return watch_target(arguments[1] if len(arguments) > 1 else None, settle({}).settings)
    if not arguments or arguments[0].startswith("-"):
        arguments = ["live", *arguments]  # flags alone are flags of the main job
    return _run(arguments[0], arguments[1:])


def _is_plain(arguments: list[str]) -> bool:
    """Say whether these are a process or nothing: no flags, so that no parser is waited for."""
    return len(arguments) < 2 and not any(argument.startswith("-") or "://" in argument for argument in arguments)


def _run(name: str, arguments: list[str]) -> int:
    app = load(name)
    import typer

    usage_error: Any = typer.BadParameter.__mro__[1]  # typer does not export the base of its own errors
    command = typer.main.get_command(app)
    show_as_written(command)
    arguments = with_values(arguments)
    _require_words(arguments)
    try:
        # Not `app(...)`, which answers a closed pipe and an interruption with exit codes of its own.
        with command.make_context(f"radixtop {name}", arguments) as context:
            code = command.invoke(context)
    except typer.Exit as end:
        code = end.exit_code
    except usage_error as error:
        error.show()
        words = getattr(getattr(error.ctx, "command", None), "commands", None)  # of a command with subcommands
        if words:
            sys.stderr.write(f"Choose from: {', '.join(words)}\n")
        return USAGE
    return OK if code is None else int(code)


def _require_words(arguments: list[str]) -> None:
    """Raise UsageError for an empty argument: as a path it would be the folder that one is in."""
    from radixtop.errors import UsageError

    ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "" in ours:
        raise UsageError(f"argument {ours.index('') + 1} is empty", "name the file or the target, or leave it out")


def _say(message: str, hint: str, code: int) -> int:
    """Write one error for a person and return its exit code."""
    tell(f"radixtop: {message}")
    if hint:
        tell(f"hint: {hint}")
    return code

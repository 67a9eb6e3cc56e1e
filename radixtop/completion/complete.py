"""What a shell may complete on a radixtop command line: commands, flags, choices, targets; else it completes files.

Everything is read off the commands themselves, so that a new flag is completed at once. Shells ask with
`radixtop --complete SHELL WORD ...`, the last word being the one that is typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from radixtop.command import COMMANDS, load
from radixtop.errors import UsageError

_CHOICES = re.compile(r"[a-z0-9_.-]+(\|[a-z0-9_.-]+)+")
_OVER_ALL = {
    "--help": "Show what there is",
    "--version": "Show the version",
    "--install-completion": "Let a shell complete",
    "--show-completion": "Print what a shell needs for that",
}
_SHELLS = ("bash", "zsh", "fish")


class Candidate(NamedTuple):
    """What a word may be completed to, and what that is."""

    word: str
    help: str = ""


def candidates(words: Sequence[str]) -> list[Candidate]:
    """Return what the last of some words may become; nothing where any file may stand."""
    *before, typed = words or [""]
    before = [word for word in before if word != "="]  # bash cuts --flag=value into three
    return [each for each in _all(before, "" if typed == "=" else typed) if each.word.startswith(typed.lstrip("="))]


def _all(before: Sequence[str], typed: str) -> Iterator[Candidate]:
    """Yield whatever may follow some words."""
    if before and before[0] in ("--install-completion", "--show-completion"):
        yield from map(Candidate, _SHELLS)
        return
    if not before and not typed.startswith("-"):
        yield from (Candidate(name, command.summary) for name, command in COMMANDS.items())
        return
    if not before:
        yield from (Candidate(flag, text) for flag, text in _OVER_ALL.items())
    name, rest = (before[0], before[1:]) if before and not before[0].startswith("-") else ("live", before)
    if name not in COMMANDS:
        return
    if name == "web" and (watched := _watched(rest)):
        yield from _all(watched, typed)
        return
    if name == "web" and not typed.startswith("-") and len(rest) % 2 == 0:
        from radixtop.commands.web import WATCHING

        yield from (Candidate(each, COMMANDS[each].summary) for each in WATCHING)
        return
    yield from _of(_command(name), rest, typed)


def _watched(rest: Sequence[str]) -> Sequence[str]:
    """Return the words of the command that `web` shows, as far as they have begun."""
    place = 0
    while place < len(rest) and rest[place].startswith("-"):
        place += 2  # every flag of `web` has a value
    return rest[place:]


def _command(name: str) -> Any:
    import typer

    return typer.main.get_command(load(name))


def _of(command: Any, before: Sequence[str], typed: str) -> Iterator[Candidate]:
    """Yield what may follow the words of one command, or of one below it."""
    below = getattr(command, "commands", {})
    if below and before and before[0] in below:
        yield from _of(below[before[0]], before[1:], typed)
        return
    flags = [each for each in command.params if each.param_type_name == "option"]
    asked = next((each for each in flags if before and before[-1] in each.opts and not each.is_flag), None)
    if asked is not None:
        yield from map(Candidate, _choices(asked))
    elif typed.startswith("-"):
        for flag in flags:
            for written in (*flag.opts, *flag.secondary_opts):
                if written.startswith("--") and (written not in before or flag.multiple):
                    yield Candidate(written, flag.help or "")
        yield Candidate("--help", "Show what there is")
    elif below:
        yield from (Candidate(name, _summary(each)) for name, each in below.items())
    elif any(each.metavar in ("[TARGET]", "[TARGET ...]") for each in command.params):
        yield from _targets()


def _choices(flag: Any) -> Sequence[str]:
    if _CHOICES.fullmatch(flag.metavar or ""):
        return str(flag.metavar).split("|")
    if flag.name == "view":
        from radixtop.view import VIEWS

        return (*VIEWS,)
    return ()


def _targets() -> Iterator[Candidate]:
    """Yield the processes that publish a cache now."""
    from radixtop.target import targets

    yield from (Candidate(str(target.pid), "a process that publishes a cache") for target in targets())


def _summary(command: Any) -> str:
    return str(command.help or "").partition("\n")[0]


def printed(shell: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the lines that a shell's script reads: a candidate each, with its help where the shell shows some."""
    for word, text in candidates(words):
        about = " ".join(text.split())
        if shell == "fish":
            yield f"{word}\t{about}"
        elif shell == "zsh":
            yield word.replace(":", "\\:") + (f":{about}" if about else "")
        else:
            yield word


def known_shell(name: str) -> str:
    """Return a shell by its name or path. Raises UsageError for one that we know no script for."""
    shell = name.rpartition("/")[2]
    if shell not in _SHELLS:
        named = repr(name) if name else "a shell that SHELL does not name"
        raise UsageError(f"no completion for {named}", f"choose from: {', '.join(_SHELLS)}")
    return shell

"""What may stand behind flags: callbacks that let it pass or say what would, and the values that it names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

import typer

from probes.errors import PublishError
from probes.kv.endpoints import is_loopback, shifted
from radixtop.errors import UsageError
from radixtop.listening import host_and_port

_MOST_DIGITS = len(str(2**31 - 1))


def one_of(names: Iterable[str]) -> Callable[[str], str]:
    """Return a callback that lets only `names` pass and answers anything else with all of them."""
    known = [*names]

    def check(name: str) -> str:
        if name not in known:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(known)}.")
        return name

    return check


def names_of(names: Iterable[str]) -> Callable[[str], str]:
    """Return a callback that lets only `names` pass, with commas between them."""
    check = one_of(names)

    def check_all(text: str) -> str:
        return ",".join(check(name.strip()) for name in text.split(","))

    return check_all


def limit_of(text: str) -> int | None:
    """Return the number that a limit names, or None for "none"."""
    return None if text == "none" else int(text)


def a_limit(text: str) -> str:
    """Let only a number or "none" pass."""
    if text != "none" and not (text.isascii() and text.isdecimal()):
        raise typer.BadParameter(f"{text!r} is neither a number nor none.")
    _check_digits(text, "the limit")
    return text


def options_of(texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return the pairs that texts such as "threshold=3" name; of those with one name the last one counts."""
    pairs = (text.partition("=") for text in texts)
    return tuple({name: int(number) for name, _, number in pairs}.items())


def all_numbered(texts: list[str]) -> list[str]:
    """Let only texts of a name and a number pass."""
    for text in texts:
        name, _, number = text.partition("=")
        if not name or not (number.isascii() and number.isdecimal()):
            raise typer.BadParameter(f"{text!r} is no name and number, such as threshold=3.")
        _check_digits(number, f"the number of {name!r}")
    return texts


def texts_of(texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the pairs that texts such as "timestamp=first" name; of those with one name the last one counts."""
    pairs = (text.partition("=") for text in texts)
    return tuple({name: value for name, _, value in pairs}.items())


def all_named(texts: list[str]) -> list[str]:
    """Let only texts of a name and a value pass."""
    for text in texts:
        name, _, value = text.partition("=")
        if not name or not value:
            raise typer.BadParameter(f"{text!r} is no name and value, such as timestamp=first.")
    return texts


def _check_digits(number: str, what: str) -> None:
    """Refuse what is no int32 by its length: Python reads no number of thousands of digits."""
    if len(number) > _MOST_DIGITS:
        raise typer.BadParameter(f"{what} has {len(number):,} digits, an int32 is needed.")


def publishing_address(endpoint: str | None) -> str | None:
    """Let an address pass that one can publish at; say so when others than this machine can reach it."""
    if endpoint is None:
        return None
    try:
        shifted(endpoint, 1)
    except PublishError as error:
        raise typer.BadParameter(str(error)) from None
    if not is_loopback(endpoint):
        sys.stderr.write(f"note: whoever can reach {endpoint} can read the token ids of every prompt\n")
    return endpoint


def serving_address(address: str | None) -> str | None:
    """Let an address pass that metrics can be served at."""
    if address is not None:
        try:
            host_and_port(address)
        except UsageError as error:
            raise typer.BadParameter(f"{error.message}; {error.hint}") from None
    return address

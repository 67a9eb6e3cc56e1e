"""Text that cannot drive a terminal, and lines of it on stderr: names of files and of what they hold are others'."""

from __future__ import annotations

import sys


def clean(text: str) -> str:
    """Return `text` with a dot for what is no printable character, so that a label cannot drive the terminal.

    That is control characters, but also marks that turn the writing direction of all that follows.
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else "·" for character in text)


def one_line(text: str, most: int = 400) -> str:
    """Return the beginning of a text in one line: a "⏎" for ends of lines, a blank for any other room."""
    lines = (" ".join(line.split()) for line in text[: 4 * most].strip().splitlines())
    return clean("⏎".join(line for line in lines if line)[:most])


def tell(text: str) -> None:
    """Write lines for a person to stderr; one that takes none (a full disk) is no reason to fail."""
    try:
        sys.stderr.write("".join(clean(line) + "\n" for line in text.split("\n")))
    except OSError:
        pass

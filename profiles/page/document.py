"""Puts the page together: template, style, scripts, the data, and a policy that lets in nothing else.

The policy names the hashes of the very style and script, so that a browser runs and loads nothing that is not part
of the page, whatever the names in the data say.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files

from profiles.plain import json_text

SCRIPTS = (
    "frames", "layout", "units", "state", "colours", "picture", "words", "moves", "search",
    "elements", "about", "details", "ranking", "panels", "main",
)  # fmt: skip
"""In the order in which they run; together they are one function, so that they share names and leave none behind."""


def document(title: str, payload: Mapping[str, object]) -> Iterator[str]:
    """Yield the text of the page, the data one entry of `payload` at a time."""
    style, script = f"\n{_part('page.css')}", _script()
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {"policy": policy, "title": escape(title), "style": style, "script": script}
    text = _part("page.html")
    while text:
        before, _, behind = text.partition("{")
        yield before
        name, _, text = behind.partition("}")
        if name == "data":
            yield from embedded(payload)
        elif name:
            yield parts[name]


def embedded(payload: Mapping[str, object]) -> Iterator[str]:
    """Yield JSON that can stand inside of a script element, one entry at a time.

    What could end the element or start a comment in it is written as an escape, which only strings can contain.
    """
    opening = "{"
    for key, value in payload.items():
        text = json_text(value, is_ascii=False, separators=(",", ":"))
        yield f'{opening}"{key}":' + _escaped(text)
        opening = ",\n"
    yield "}"


def _escaped(text: str) -> str:
    for character, escape_ in (("<", "\\u003c"), (">", "\\u003e"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        text = text.replace(character, escape_)
    return text


def _script() -> str:
    return '\n"use strict";\n(() => {\n' + "\n".join(_part(f"{name}.js") for name in SCRIPTS) + "})();\n"


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode()}'"

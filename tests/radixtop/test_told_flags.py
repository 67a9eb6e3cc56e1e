"""Flags that messages name exist: those of the command line, and those of other programs that are listed here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from profiles.finding import FINDINGS
from radixtop import cli
from radixtop.command import COMMANDS, load
from tests.support.evidences import SHOWN

ROOT = Path(__file__).parents[2]
WITHOUT_PARSER = {
    "--help", "--version", "--complete", "--show-completion", "--install-completion",
}  # fmt: skip
"""What `radixtop/cli.py` and click take themselves."""

OF_OTHERS = {"--command-palette", "--gpus", "--kv-events-config", "--shm-size"}
"""Style sheets of Textual, inference servers, and Docker."""


def flags_of(command: Any) -> Iterator[str]:
    for parameter in command.params:
        yield from (*parameter.opts, *parameter.secondary_opts)
    for under in getattr(command, "commands", {}).values():
        yield from flags_of(under)


@pytest.fixture(scope="module")
def known() -> set[str]:
    return {flag for name in COMMANDS for flag in flags_of(typer.main.get_command(load(name)))}


def told_in(path: Path) -> Iterator[str]:
    """Yield the flags in the texts of a file that are no docstrings."""
    tree = ast.parse(path.read_text())
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield from re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", node.value)


def test_every_flag_in_a_text_exists(known: set[str]) -> None:
    told = {(flag, path.name) for path in (ROOT / "radixtop").rglob("*.py") for flag in told_in(path)}
    assert len(told) > 200
    assert {each for each in told if each[0] not in known | WITHOUT_PARSER | OF_OTHERS} == set()


def test_every_flag_that_a_finding_advises_exists(known: set[str]) -> None:
    changes = [found.change for name in SHOWN if (found := FINDINGS.load(name)().find(SHOWN[name]))]
    flags = {change.flag for change in changes if change is not None and change.flag.startswith("-")}
    assert len(flags) > 5
    assert flags - known == set()


def test_a_flag_that_does_nothing_is_called_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    path = ROOT / "pyproject.toml"
    assert cli.main(["why", str(path), "--seconds", "3s"]) == 2
    assert "--seconds does nothing without a process to watch" in capsys.readouterr().err

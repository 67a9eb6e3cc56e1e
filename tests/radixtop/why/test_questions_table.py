"""The table of questions in the README: findings that say they answer them, and views and commands that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main

from profiles.finding import FINDINGS
from profiles.questions import QUESTIONS
from radixtop.command import COMMANDS, load
from radixtop.view import VIEWS
from tests.support.evidences import SHOWN

README = (Path(__file__).parents[3] / "radixtop" / "README.md").read_text()
ROWS = re.findall(r"^\| (\d+) ([a-z][^|]+\?) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", README, re.MULTILINE)


def test_every_question_has_its_row() -> None:
    assert {int(number): question for number, question, *_ in ROWS} == QUESTIONS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"question {row[0]}")
def test_a_row_names_what_there_is(row: tuple[str, ...]) -> None:
    number, _, findings, views, commands = row
    found = {name: FINDINGS.load(name)().find(evidence) for name, evidence in SHOWN.items()}
    answering = {name for name, finding in found.items() if finding and int(number) in finding.questions}
    assert set(re.findall(r"`(\w+)`", findings)) == answering
    assert set(views.split(", ")) <= set(VIEWS)
    for command in re.findall(r"`([^`]+)`", commands):
        words = command.split()
        assert words[0] in COMMANDS
        names = {*_under(words[0])}
        assert set(words[1:]) <= names, f"{command} has {sorted(names)}"


def _under(name: str) -> list[str]:
    """Return the subcommands of a command, or its flags."""
    command = typer.main.get_command(load(name))
    return [*getattr(command, "commands", {}), *(flag for each in command.params for flag in each.opts)]

"""What shells may complete: read off the commands, and asked for the way a shell asks."""

from __future__ import annotations

import os
import subprocess
import sys
from array import array
from pathlib import Path

import pytest

import radixtop
from cache_core import CacheConfig, PrefixCache, RadixKey
from radixtop import cli
from radixtop.command import COMMANDS
from radixtop.completion.complete import candidates
from radixtop.completion.scripts import SCRIPTS, place_of
from radixtop.theme import THEMES
from radixtop.view import VIEWS


def words(*typed: str) -> list[str]:
    return [each.word for each in candidates(typed)]


def test_the_first_word_is_a_command() -> None:
    assert words("") == [*COMMANDS]
    assert words("pl") == ["play"]
    assert words("nothing-like-it") == []


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (["live", "--work"], ["--workload", "--workload-option"]),
        (["--the"], ["--theme"]),
        (["--vers"], ["--version"]),
        (["play", "run.rtrec", "--no-"], ["--no-ascii", "--no-color", "--no-mouse"]),
        (["play", "--theme", ""], [*THEMES]),
        (["play", "--theme", "li"], ["light"]),
        (["play", "--theme", "=", "li"], ["light"]),
        (["play", "--view", "tr"], ["tree"]),
        (["attach", "--view", ""], [*VIEWS]),
        (["profile", "fla"], ["flame"]),
        (["bench", "scr"], ["screen"]),
        (["web", "--po"], ["--port"]),
        (["web", "--port", "0", "pl"], ["play"]),
        (["web", "play", "run.rtrec", "--theme", "an"], ["ansi"]),
        (["--install-completion", ""], ["bash", "zsh", "fish"]),
    ],
    ids=" ".join,
)
def test_a_word_is_completed_by_what_may_stand_there(typed: list[str], found: list[str]) -> None:
    assert words(*typed) == found


@pytest.mark.parametrize(
    "typed", [["play", ""], ["play", "--config", ""], ["live", "--seed", ""], ["what", ""], ["profile", "flame", ""]]
)
def test_where_a_file_or_anything_may_stand_the_shell_is_left_to_itself(typed: list[str]) -> None:
    assert words(*typed) == []


def test_a_flag_that_was_given_is_not_offered_again() -> None:
    assert "--theme" not in words("play", "--theme", "light", "--")
    assert "--policy-option" in words("live", "--policy-option", "a=1", "--")


def test_targets_are_the_processes_that_publish_a_cache() -> None:
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=10))
    cache.insert(RadixKey(array("i", range(5))), cache.allocate(5))
    recorder = radixtop.attach(cache)
    try:
        assert str(os.getpid()) in words("attach", "")
    finally:
        recorder.close()


def test_each_shell_gets_its_own_form(capsys: pytest.CaptureFixture[str]) -> None:
    said = {}
    for shell in SCRIPTS:
        assert cli.main(["--complete", shell, "play", "--mou"]) == 0
        said[shell] = capsys.readouterr().out
    about = "Answer the mouse; without, it selects text."
    assert said == {"bash": "--mouse\n", "zsh": f"--mouse:{about}\n", "fish": f"--mouse\t{about}\n"}


def test_bash_completes_with_what_is_printed_for_it(tmp_path: Path) -> None:
    script = f"""
radixtop() {{ {sys.executable} -m radixtop "$@"; }}
source <(radixtop --show-completion bash)
COMP_WORDS=(radixtop play run.rtrec --theme l) COMP_CWORD=4
_radixtop
echo "${{COMPREPLY[*]}}"
complete -p radixtop
"""
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.splitlines() == ["light", "complete -o default -F _radixtop radixtop"]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_is_put_where_its_shell_looks(
    shell: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    assert cli.main(["--install-completion"]) == 0
    shown = capsys.readouterr()
    path = place_of(shell)
    assert path.is_relative_to(tmp_path)
    assert path.read_text() == SCRIPTS[shell]
    assert (shown.out, str(path) in shown.err) == ("", True)


def test_a_shell_that_is_not_known_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--show-completion", "powershell"]) == 2
    assert "choose from: bash, zsh, fish" in capsys.readouterr().err
    monkeypatch.setenv("SHELL", "")
    assert cli.main(["--install-completion"]) == 2

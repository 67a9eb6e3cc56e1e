"""`radixtop run`: a command that loads plugins as the engines do has our probes, and is its own master."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cache_core.bench.side import Peer
from cache_core.events import CacheReset
from probes.adapters.shm import ShmAdapter
from probes.inside import environment
from probes.inside.environment import import_folder, with_probes
from radixtop import cli
from radixtop.target import Target, target_of
from tests.support import engine_shapes
from tests.support.peers import named_peers

ROOT = Path(__file__).parents[2]
RESULTS = "\nMatchResult, InsertResult, EvictResult = DeviceLength, Inserted, Evicted\n"
ENGINE = """
import sys
from importlib.metadata import entry_points
for plugin in entry_points(group="sglang.srt.plugins"):
    plugin.load()()
from sglang.srt.mem_cache.radix_cache import RadixCache
cache = RadixCache()
cache.reset()
print("ready", flush=True)
sys.exit(int(sys.stdin.readline()))
"""
"""An engine that loads its plugins, makes a cache, and ends as it is told."""


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """A folder with a package of the shape of SGLang."""
    folder = tmp_path / "sglang" / "srt" / "mem_cache"
    folder.mkdir(parents=True)
    (folder / "base_prefix_cache.py").write_text(Path(engine_shapes.__file__).read_text() + RESULTS)
    (folder / "radix_cache.py").write_text("from sglang.srt.mem_cache.base_prefix_cache import *\n")
    (tmp_path / "engine.py").write_text(ENGINE)
    return tmp_path


@pytest.fixture
def running(engine: Path) -> Iterator[subprocess.Popen[str]]:
    """`radixtop run` of that engine, whose cache is there."""
    program = "import runpy, sys; sys.argv[0] = 'radixtop'; runpy.run_module('radixtop', run_name='__main__')"
    started = subprocess.Popen(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {program}",
         "run", sys.executable, "-P", "-m", "engine"],
        cwd=engine, env={**os.environ, "PYTHONPATH": str(engine)}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert started.stdout is not None and started.stderr is not None
    with started:
        assert started.stdout.readline() == "ready\n", started.stderr.read()
        yield started
        started.kill()


def test_the_engine_takes_our_place_and_its_exit_code_is_ours(running: subprocess.Popen[str]) -> None:
    _, said = running.communicate("7\n", timeout=30)
    assert running.returncode == 7
    assert said == f"radixtop: once its cache is there, watch it from elsewhere: radixtop attach {running.pid}\n"


def test_its_cache_can_be_attached_to(running: subprocess.Popen[str]) -> None:
    adapter = ShmAdapter(running.pid)
    assert CacheReset in [type(record) for _, record in adapter.poll().records]
    assert adapter.state().config["cache"] == "RadixCache"
    assert target_of(str(running.pid)) == Target(running.pid, 0)
    adapter.close()


def test_a_signal_ends_the_engine_as_if_it_had_been_started_plainly(running: subprocess.Popen[str]) -> None:
    running.send_signal(signal.SIGTERM)
    assert running.wait(30) == -signal.SIGTERM


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("/no/such/engine", "No such file or directory"),
        ("no-such-engine", "No such file or directory"),
        ("/", "Permission denied"),
    ],
)
def test_what_cannot_be_started_is_one_error_and_nobody_is_told_to_watch_it(
    program: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", "--", program]) == 1
    assert capsys.readouterr().err == (
        f"radixtop: cannot start {program}: {why}\nhint: name a program as a shell would, after `--`\n"
    )


def test_its_help_is_asked_for_as_that_of_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "-h"]) == 0
    assert "Example: radixtop run" in capsys.readouterr().out


@pytest.mark.parametrize("number", [signal.SIGPIPE, signal.SIGXFSZ], ids=lambda number: number.name)
def test_what_cannot_be_started_leaves_us_deaf_to_what_we_were_deaf_to(
    number: signal.Signals, tmp_path: Path
) -> None:
    """Or whatever goes on here dies of a full disk, and of a reader that leaves."""
    program = tmp_path / "engine"
    program.write_bytes(b"\0no program")
    program.chmod(0o700)
    assert cli.main(["run", "--", str(program)]) == 1
    assert signal.getsignal(number) is signal.SIG_IGN


def test_without_a_command_it_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "--"]) == 2


def test_lists_of_allowed_plugins_let_ours_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "default_folder", lambda: tmp_path / "rings")
    given = {"VLLM_PLUGINS": "mine", "PYTHONPATH": "/a:/b", "HOME": "/home/me"}
    changed = with_probes(given, "1.0")
    assert (changed["VLLM_PLUGINS"], changed["HOME"], changed["RADIXTOP_PROBE"]) == ("mine,radixtop", "/home/me", "1")
    assert "SGLANG_PLUGINS" not in changed
    folder = str(import_folder("1.0"))
    assert changed["PYTHONPATH"].split(":") == ["/a", "/b", folder]
    assert with_probes(changed, "1.0") == changed


def test_the_import_folder_holds_the_two_packages_and_the_entry_points_alone(tmp_path: Path) -> None:
    folder = import_folder("1.0", tmp_path / "rings")
    assert sorted(each.name for each in folder.iterdir()) == ["cache_core", "probes", "radixtop-1.0.dist-info"]
    assert folder == import_folder("1.0", tmp_path / "rings") != import_folder("1.1", tmp_path / "rings")
    assert (tmp_path / "rings").stat().st_mode & 0o777 == 0o700


def test_its_entry_points_are_those_of_an_installation(tmp_path: Path) -> None:
    text = (import_folder("1.0", tmp_path / "rings") / "radixtop-1.0.dist-info" / "entry_points.txt").read_text()
    installed = (ROOT / "pyproject.toml").read_text()
    for group in environment.GROUPS:
        assert f"[{group}]\nradixtop = probes.inside.plugin:load" in text
        assert f'[project.entry-points."{group}"]\nradixtop = "probes.inside.plugin:load"' in installed


@pytest.mark.needs("peers")
@pytest.mark.parametrize("peer", named_peers(), ids=lambda peer: peer.name)
def test_the_plugin_loader_of_sglang_finds_our_probes(peer: Peer) -> None:
    """Its own loader, twice, with a list of allowed plugins that does not know ours."""
    program = """
from cache_core.bench.sglang import modules, stand_ins
stand_ins.install()
from sglang.srt.plugins import load_plugins
load_plugins()
load_plugins()
print(modules.load().unified_cache.__init__._radixtop)
"""
    given = {**os.environ, "PYTHONPATH": peer.folder or "", "SGLANG_PLUGINS": "another"}
    ran = subprocess.run(
        [peer.python, "-P", "-c", program], env=with_probes(given, "1.0"), capture_output=True, text=True, timeout=120
    )
    assert ran.stdout.splitlines()[-1:] == ["True"], ran.stderr

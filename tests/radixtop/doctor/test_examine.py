"""What is found of targets that are there, half there, or something else, and how long that takes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import zmq

import radixtop
from cache_core import CacheConfig, PrefixCache
from cache_core.registry import Registry
from probes.engines.access import Access, Address, Token
from probes.engines.connection import Deadline
from radixtop.check import HERE, Check, Finding, Status, Subject
from radixtop.checks.server import key_findings
from radixtop.doctor import examine as examining
from radixtop.doctor.examine import Examined, examine
from radixtop.engine_target import EngineTarget, StreamTarget
from radixtop.target import Target
from tests.support.engine_pages import sglang, vllm, vllm_source
from tests.support.fake_server import Page, listening, serving, silence, unused_port


def examined(target: Target | EngineTarget | StreamTarget | None, access: Access | None = None) -> Examined:
    """Return what is found of one target."""
    (found,) = examine([target], access or Access())
    return found


def said(found: Examined, status: Status) -> str:
    """Return all that has a status, with what to do about it."""
    return "\n".join(f"{each.what}: {each.says} [{each.hint}]" for each in found.findings if each.status is status)


@contextmanager
def publishing() -> Iterator[tuple[int, int]]:
    """Yield the ports of a publisher and of its replays."""
    with zmq.Context() as context, context.socket(zmq.PUB) as live, context.socket(zmq.ROUTER) as replay:
        yield tuple(each.bind_to_random_port("tcp://127.0.0.1") for each in (live, replay))  # type: ignore[misc]


def test_a_server_with_everything_on_is_all_ok() -> None:
    with publishing() as (live, replay):
        events = {"endpoint_port_base": live, "replay_endpoint_port_base": replay}
        with serving(sglang("0.5.22", events=events)) as server:
            found = examined(EngineTarget("sglang", server.address))
    assert {each.status for each in found.findings} == {Status.OK, Status.WARN}
    warned = said(found, Status.WARN)
    assert warned.startswith(f"events: whoever reaches the port of tcp://127.0.0.1:{live} reads token ids of prompts")
    assert "firewall" in warned and "\n" not in warned
    assert '"endpoint":"tcp://127.0.0.1:5557"' in warned and '"bind":true' in warned
    assert found.is_reachable
    ok = said(found, Status.OK)
    assert "sglang 0.5.22" in ok
    assert "page: 16 tokens" in ok
    assert f"events 0: tcp://127.0.0.1:{live}" in ok
    assert f"replay 0: tcp://127.0.0.1:{replay}" in ok


def test_what_is_switched_off_is_named_by_its_flag() -> None:
    pages = sglang("0.5.19", kv_events=None, enable_metrics=False, enable_cache_report=False)
    del pages["/metrics"]
    with serving(pages) as server:
        found = examined(EngineTarget("sglang", server.address))
    missing = said(found, Status.MISSING)
    for flag in ("--kv-events-config", "--enable-metrics", "--enable-cache-report"):
        assert missing.count(flag) == 1
    assert found.is_reachable


def test_ranks_that_are_left_out_are_told() -> None:
    with serving(sglang("0.5.19", kv_events=None, dp_size=2_000)) as server:
        found = examined(EngineTarget("sglang", server.address))
    assert "976 of its 2,000 ranks are left out" in said(found, Status.WARN)


def test_nobody_is_warned_of_events_for_its_own_machine_alone() -> None:
    with publishing() as (live, replay):
        events = {"endpoint_host": "127.0.0.1", "endpoint_port_base": live, "replay_endpoint_port_base": replay}
        with serving(sglang("0.5.22", events=events, kv_events_config='{"bind":true}')) as server:
            found = examined(EngineTarget("sglang", server.address))
    assert {each.status for each in found.findings} == {Status.OK}


def test_the_flag_for_events_is_for_this_machine_alone_where_that_works_and_else_says_who_reads() -> None:
    for version, is_local in (("0.5.22", True), ("0.5.19", False)):
        with serving(sglang(version, kv_events=None)) as server:
            missing = said(examined(EngineTarget("sglang", server.address)), Status.MISSING)
        assert ('"endpoint":"tcp://127.0.0.1:5557"' in missing and '"bind":true' in missing) is is_local
        assert ("reads token ids of prompts" in missing) is not is_local


def test_a_vllm_server_without_metrics_is_told_once_what_to_leave_out() -> None:
    with serving(vllm("0.31.0", {}, metrics="python_info 1\n")) as server:
        missing = said(examined(EngineTarget("vllm", server.address)), Status.MISSING)
    assert missing.count("start vLLM without --disable-log-stats") == 1


def test_a_server_that_is_another_one_is_said_nothing_else_of() -> None:
    with serving(vllm("0.31.0")) as server:
        found = examined(EngineTarget("sglang", server.address))
    assert [each.what for each in found.findings] == ["server", "metrics"]
    assert f"vllm://127.0.0.1:{server.address.port}" in found.findings[0].hint
    assert "is the page of vllm" in found.findings[1].says


def test_a_server_that_is_not_there_is_told_of_once() -> None:
    found = examined(EngineTarget("sglang", Address("127.0.0.1", unused_port())))
    assert [each.what for each in found.findings] == ["server"]


def test_a_vllm_server_is_examined_alike() -> None:
    with publishing() as (live, replay):
        source = vllm_source(f"tcp://*:{live}", replay_endpoint=f"tcp://*:{replay}")
        with serving(vllm("0.31.0", {"0": source})) as server:
            found = examined(EngineTarget("vllm", server.address))
    assert {each.status for each in found.findings} == {Status.OK, Status.WARN}
    assert "token ids of prompts" in said(found, Status.WARN)
    assert "127.0.0.1:5557" not in said(found, Status.WARN)  # it would connect there


def test_an_event_port_at_which_nothing_listens_is_unreachable() -> None:
    with serving(sglang("0.5.19", events={"endpoint_port_base": unused_port()})) as server:
        found = examined(EngineTarget("sglang", server.address))
    assert "nothing listens there" in said(found, Status.MISSING)
    assert not found.is_reachable


def test_an_event_port_with_something_else_is_unreachable() -> None:
    with serving({}) as other, serving(sglang("0.5.19", events={"endpoint_port_base": other.address.port})) as server:
        found = examined(EngineTarget("sglang", server.address))
    assert "is no ZeroMQ" in said(found, Status.MISSING)
    assert not found.is_reachable


def test_ports_that_are_mixed_up_are_told() -> None:
    with publishing() as (_, replay):
        found = examined(StreamTarget("127.0.0.1", replay))
    assert "is a ROUTER socket, not PUB" in said(found, Status.MISSING)


def test_a_bare_stream_is_examined() -> None:
    with publishing() as (live, _):
        assert examined(StreamTarget("127.0.0.1", live)).is_reachable
    assert not examined(StreamTarget("127.0.0.1", unused_port())).is_reachable


@pytest.mark.parametrize(
    ("status", "way_out"),
    [(401, "RADIXTOP_API_KEY"), (500, "loading its model"), (404, "if it is vLLM: vllm://127.0.0.1:")],
)
def test_a_server_that_refuses_says_the_way_out(status: int, way_out: str) -> None:
    pages = dict.fromkeys(("/server_info", "/get_server_info", "/metrics"), Page(b"", status))
    with serving(pages) as server:
        found = examined(EngineTarget("sglang", server.address))
    assert way_out in said(found, Status.MISSING)
    assert not found.is_reachable


def test_a_server_with_an_unknown_certificate_says_the_way_out() -> None:
    with serving(sglang("0.5.22"), tls=True) as server:
        found = examined(EngineTarget("sglang", server.address))
    assert "--ca-file" in said(found, Status.MISSING)


def test_a_server_that_hangs_ends_in_time() -> None:
    deadline_s = 0.2
    with listening(silence) as address:
        begun = time.monotonic()
        found = examined(EngineTarget("sglang", address), Access(deadline_s=deadline_s))
        took = time.monotonic() - begun
    assert "no whole answer" in said(found, Status.MISSING)
    assert took < 20 * deadline_s  # the server never answers


def test_a_check_that_hangs_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    _checks_of_this_machine(monkeypatch, lambda subject: [ended.wait()])
    try:
        (found,) = examine([None], Access(deadline_s=0.1), whole_s=0.2)
    finally:
        ended.set()
    assert [(each.what, each.status) for each in found.findings] == [("only", Status.MISSING)]


def test_a_check_with_a_bug_takes_nothing_else_along(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(subject: object) -> list[Finding]:
        raise ZeroDivisionError

    _checks_of_this_machine(monkeypatch, broken)
    (found,) = examine([None], Access())
    assert found.findings[0].says == "the check failed: ZeroDivisionError"


def _checks_of_this_machine(monkeypatch: pytest.MonkeyPatch, check: object) -> None:
    """Let one check stand for all."""

    class One(Registry[Check]):
        def load(self, name: str) -> Check:
            return check  # type: ignore[return-value]

    monkeypatch.setattr(examining, "checks_for", lambda target: One("check", {"only": ""}))


def test_this_machine_is_examined() -> None:
    found = examined(None)
    assert found.target is None
    assert {"radixtop", "terminal", "shared memory", "torch", "gpu", "py-spy", "cache"} <= {
        each.what for each in found.findings
    }
    assert found.is_reachable


@pytest.mark.parametrize("name", HERE)
def test_every_check_of_this_machine_loads_and_finds_something(name: str) -> None:
    assert [*HERE.load(name)(Subject(None, Access(), Deadline(2)))]


def test_a_published_cache_is_found() -> None:
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=10))
    recorder = radixtop.attach(cache, rank=4)
    try:
        assert f"shm:{os.getpid()}-4" in said(examined(None), Status.OK)
        found = examined(Target(os.getpid(), 4))
    finally:
        recorder.close()
    assert found.is_reachable
    assert "ring" in [each.what for each in found.findings]


def test_a_process_without_a_ring_is_unreachable() -> None:
    found = examined(Target(os.getpid(), 99))
    assert "publishes no cache" in said(found, Status.MISSING)
    assert "radixtop.attach(cache)" in said(found, Status.MISSING)
    assert not found.is_reachable


def test_a_process_that_is_gone_is_unreachable() -> None:
    assert "no process" in said(examined(Target(2**22 + 1, 0)), Status.MISSING)


@pytest.mark.parametrize(
    ("address", "warnings"),
    [(Address("gpu7", 1), 1), (Address("gpu7", 1, True), 0), (Address("127.0.0.1", 1), 0), (Address("::1", 1), 0)],
)
def test_a_key_in_clear_text_is_warned_of(address: Address, warnings: int) -> None:
    found = [*key_findings(Access(Token("sk-1")), EngineTarget("sglang", address))]
    assert len(found) == warnings
    assert "sk-1" not in repr(found)


def test_several_targets_are_examined_at_once() -> None:
    deadline_s = 0.5
    with listening(silence) as address:
        targets = [EngineTarget("sglang", address), EngineTarget("vllm", address), StreamTarget("127.0.0.1", 1)]
        begun = time.monotonic()
        found = examine(targets, Access(deadline_s=deadline_s))
        took = time.monotonic() - begun
    assert [each.is_reachable for each in found] == [False] * 3
    assert took < 20 * deadline_s

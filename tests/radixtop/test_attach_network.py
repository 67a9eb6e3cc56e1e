"""Attaching to what is reached over a network: what is there is shown, and what is wrong is said."""

from __future__ import annotations

import asyncio
import json
import math
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from probes.engines.access import Access
from probes.kv.publisher import KVPublisher, PublisherOptions
from probes.kv.wire import decode
from probes.kv_feed.stream_file import StreamWriter
from probes.kv_mirror.rank import RankMirror
from probes.mirror import Mirror
from probes.snapshot import SourceState
from radixtop import cli
from radixtop.engine_target import network_target_of
from radixtop.errors import UsageError
from radixtop.network_session import NetworkSession
from radixtop.tree.request import MODES
from tests.support import engine_pages
from tests.support.fake_server import FakeServer, Page, page, serving, text_page, unused_port
from tests.support.kv_streams import CUTS, messages
from tests.support.screen import Dashboard, dashboard

STREAM = "sglang_0.5.23_page16"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NetworkSession, "longest_start_s", 0.7)


@contextmanager
def published() -> Iterator[KVPublisher[object]]:
    """Publish a recorded stream as its engine did, and keep it for who comes late."""
    options = PublisherOptions(endpoint="tcp://127.0.0.1:0", replay_endpoint="tcp://127.0.0.1:0")
    publisher = KVPublisher[object](lambda event: event, options)
    try:
        for _, payload in messages(STREAM):
            publisher.publish(msgspec.msgpack.decode(payload)[1])
        yield publisher
    finally:
        publisher.close()


def port(endpoint: str) -> int:
    return int(endpoint.rpartition(":")[2])


@contextmanager
def sglang(publisher: KVPublisher[object] | None, **options: object) -> Iterator[FakeServer]:
    """An SGLang that publishes, or that was not told to."""
    events = None
    if publisher is not None:
        events = {
            "publisher": "zmq",
            "endpoint_host": "*",
            "endpoint_port_base": port(publisher.endpoint),
            "replay_endpoint_port_base": port(publisher.replay_endpoint),
            "topic": "",
            "block_size": 16,
            "dp_size": 1,
        }
    with serving(engine_pages.sglang("0.5.23", kv_events=events), **options) as server:  # type: ignore[arg-type]
        yield server


def report(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object], str]:
    code = cli.main(["attach", *words])
    shown = capsys.readouterr()
    return code, json.loads(shown.out), shown.err


def test_who_comes_late_to_a_server_has_its_whole_tree(capsys: pytest.CaptureFixture[str]) -> None:
    with published() as publisher, sglang(publisher) as server:
        target = f"sglang://{server.address.place}"
        code, told, _ = report(capsys, target, "--headless", "--json", "--duration", "2")
    assert code == 0
    nodes = told["nodes"]
    assert isinstance(nodes, dict)
    assert nodes["total"] > 20


def test_a_server_without_events_is_shown_and_the_flag_is_named() -> None:
    with sglang(None) as server:
        state = first_state(server)
    assert state.state == "live"
    assert "there is no tree: no KV events are published" in state.message
    assert "start it with --kv-events-config" in state.message


@pytest.mark.parametrize("how", ["--once", "--headless"])
def test_a_server_that_tells_nothing_is_one_line_and_exit_1(how: str, capsys: pytest.CaptureFixture[str]) -> None:
    pages = engine_pages.sglang("0.5.23", kv_events=None, enable_metrics=False)
    del pages["/metrics"]
    with serving(pages) as server:
        target = f"sglang://{server.address.place}"
        code, _, err = report(capsys, target, how, "--json", "--duration", "0.3")
    assert code == 1
    assert f"{target} tells nothing: there is no tree" in err
    assert err.count("\n") == 1 and "--enable-metrics" in err


def test_a_server_that_has_metrics_alone_is_exit_0(capsys: pytest.CaptureFixture[str]) -> None:
    with sglang(None) as server:
        code, _, err = report(capsys, f"sglang://{server.address.place}", "--once", "--json")
    assert (code, err) == (0, "")


def test_of_ranks_past_the_most_that_are_followed_is_said_how_many_are_left_out() -> None:
    with serving(engine_pages.sglang("0.5.23", kv_events=None, dp_size=1_500)) as server:
        state = first_state(server)
    assert "476 of its 1,500 ranks are left out" in state.message


@pytest.mark.parametrize(
    "pages",
    [
        {"/server_info": page({})},
        {"/server_info": page({"dp_size": "many", "kv_events": {"dp_size": None, "publisher": []}})},
        {"/server_info": page({"internal_states": [None], "page_size": -1, "dp_size": 0, "version": 7})},
        {"/version": page({"version": "0.20.0"}), "/metrics": text_page("")},
    ],
)
def test_a_server_that_says_next_to_nothing_is_shown_and_examined(
    pages: dict[str, Page], capsys: pytest.CaptureFixture[str]
) -> None:
    scheme = "vllm" if "/version" in pages else "sglang"
    with serving(pages) as server:
        state = first_state(server, scheme)
        cli.main(["doctor", f"{scheme}://{server.address.place}"])
    assert state.state == "live"
    assert "TypeError" not in state.message + capsys.readouterr().out


def test_of_a_server_whose_events_are_out_of_reach_the_reason_is_told() -> None:
    config = json.dumps({"publisher": "zmq", "endpoint": "inproc://kv"})
    with serving(engine_pages.sglang("0.5.6", kv_events_config=config)) as server:
        state = first_state(server)
    assert "there is no tree: events go to inproc://kv, which no other process can read" in state.message


def first_state(server: FakeServer, scheme: str = "sglang") -> SourceState:
    """Return what is told first of a server that answers."""
    session = NetworkSession([network_target_of(f"{scheme}://{server.address.place}")], Access())
    try:
        return told_of(session)
    finally:
        session.close()


def told_of(session: NetworkSession) -> SourceState:
    """Return the first state that is no start."""
    for _ in range(2_000):
        state = session.tick(0).source
        if state.state != "starting":
            return state
        threading.Event().wait(0.005)
    raise AssertionError(state)


@pytest.mark.parametrize(
    ("scheme", "said"),
    [
        ("sglang", "nothing listens at http://127.0.0.1:"),
        ("vllm", "nothing listens at http://127.0.0.1:"),
        ("tcp", "nothing listens at tcp://127.0.0.1:"),
    ],
)
def test_a_server_that_is_not_there_is_one_line_and_exit_1(
    scheme: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = report(capsys, f"{scheme}://127.0.0.1:{unused_port()}", "--headless", "--json")
    assert code == 1
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize("scheme", ["sglang", "vllm", "tcp"])
def test_of_a_server_that_is_not_there_the_reason_alone_is_told_and_nothing_is_waited_for(
    scheme: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NetworkSession, "patience_s", math.inf)
    target = f"{scheme}://127.0.0.1:{unused_port()}"
    code = cli.main(["attach", target, "--once", "--interval", "10"])
    shown = capsys.readouterr()
    assert (code, shown.out) == (1, "")
    assert target in shown.err and "nothing listens at" in shown.err


def test_a_look_waits_for_the_past_to_be_read_and_says_what_was_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probes.kv_mirror.follower.READ_NS", 0)
    monkeypatch.setattr("probes.fleet.fleet_adapter.READ_NS", 0)
    monkeypatch.setattr("radixtop.screenless.telling.BREATH_S", 0.0)
    with published() as publisher, sglang(publisher) as server:
        target = f"sglang://{server.address.place}"
        told = [report(capsys, target, "--once", "--json", "--interval", "0.05")]
        monkeypatch.setattr(NetworkSession, "longest_patience_s", 0.0)
        monkeypatch.setattr("probes.kv_feed.feed.Feed.take", lambda feed: [])
        monkeypatch.setattr(NetworkSession, "patience_s", 0.5)
        told.append(report(capsys, target, "--once", "--json", "--interval", "0.05"))
    assert [code for code, _, _ in told] == [0, 1]
    nodes = told[0][1]["nodes"]
    assert isinstance(nodes, dict) and nodes["total"] == nodes_of_the_stream()
    assert "was not read to the present: connected, not read yet" in told[1][2]


def test_a_server_that_wants_a_key_says_how_to_give_it(capsys: pytest.CaptureFixture[str]) -> None:
    with sglang(None, token="secret") as server:
        code, _, err = report(capsys, f"sglang://{server.address.place}", "--headless", "--json")
    assert code == 1
    assert "--api-key" in err


def test_a_certificate_that_nobody_signed_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with sglang(None, tls=True) as server:
        code, _, err = report(capsys, f"sglang+https://{server.address.place}", "--headless", "--json")
    assert code == 1
    assert "--insecure" in err


def test_a_port_of_something_else_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with serving({"/": Page(b"<html>hello</html>")}) as server:
        code, _, err = report(capsys, f"tcp://{server.address.place}", "--headless", "--json")
        assert code == 1
        assert server.address.place in err
        code, _, err = report(capsys, f"sglang://{server.address.place}", "--headless", "--json")
    assert code == 1
    assert server.address.place in err


def test_a_server_that_never_answers_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        target = f"sglang://127.0.0.1:{silent.getsockname()[1]}"
        code, _, err = report(capsys, target, "--headless", "--json", "--timeout", "0.5")
    assert code == 1
    assert "127.0.0.1" in err


def test_the_screen_shows_the_tree_once_the_server_has_told_it() -> None:
    async def main() -> None:
        with published() as publisher, sglang(publisher) as server:
            session = NetworkSession([network_target_of(f"sglang://{server.address.place}")], Access())
            try:
                async with dashboard(120, 40, session) as running:
                    for _ in range(500):
                        await running.tick()
                        if session.mirror.root.children:
                            break
                        await asyncio.sleep(0.01)
                    await running.press("2")
                    await running.tick()
                    assert "nodes" in running.text()
                    assert "live" in running.lines()[0]
            finally:
                session.close()

    asyncio.run(main())


@pytest.mark.parametrize("mode", ["hot", "cold", "dead"])
def test_what_nobody_tells_of_a_tree_is_not_shown_as_nothing(mode: str) -> None:
    async def main() -> None:
        with published() as publisher:
            session = NetworkSession([network_target_of(publisher.endpoint)], Access())
            try:
                async with dashboard(160, 40, session) as running:
                    await until_tree(running, session, publisher)
                    assert "reused by" not in running.text()
                    await running.press("2")
                    await running.tick()
                    assert not any("lock" in line and "idle" in line for line in running.lines())
                    assert "who holds it is not told" in running.text()
                    await running.press(*["b"] * MODES.index(mode))
                    await running.tick()
                    assert "this source does not tell what is used" in running.text()
            finally:
                session.close()

    asyncio.run(main())


async def until_tree(running: Dashboard, session: NetworkSession, publisher: KVPublisher[object]) -> None:
    """Publish a block and tick until there is a node: who is not connected yet hears nothing."""
    for _ in range(500):
        publisher.publish([{"type": "BlockStored", "block_hashes": [1], "token_ids": [], "block_size": 16}])
        await running.tick()
        if len(session.mirror.nodes) > 1:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("no node came")


def nodes_of_the_stream() -> int:
    """Return how many nodes a recorded stream ends with."""
    rank, mirror = RankMirror(), Mirror()
    for seq, payload in messages(STREAM):
        for record in rank.apply(seq, decode(payload), 0):
            mirror.apply(record)
    return len(mirror.nodes) - 1


def test_events_that_were_saved_are_shown_to_their_end(capsys: pytest.CaptureFixture[str]) -> None:
    path = next(CUTS.glob(f"{STREAM}.bin.*"))
    code, told, _ = report(capsys, str(path), "--headless", "--json")
    nodes = told["nodes"]
    assert isinstance(nodes, dict)
    assert (code, nodes["total"]) == (0, nodes_of_the_stream())
    assert cli.main(["attach", str(path), "--once"]) == 0
    assert "ended" in capsys.readouterr().out


def saved(path: Path, messages: int) -> Path:
    """Return a file of so many messages that store a block each."""
    with StreamWriter(path) as writer:
        for seq in range(messages):
            event = ["BlockStored", [seq + 1], None, [], 16, None]
            writer.append(1e9 + seq, (b"", seq.to_bytes(8, "big"), msgspec.msgpack.encode([1e9 + seq, [event], 0])))
    return path


@pytest.mark.parametrize("how", [("--once", "--json"), ("--headless",)])
@pytest.mark.parametrize(("at", "garbage"), [(90, b""), (90, b"\xff" * 64), (8, b"\xff" * 64)])
def test_saved_events_that_are_damaged_are_one_line_and_exit_1(
    at: int, garbage: bytes, how: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path / "run.rxkv", 3)
    path.write_bytes(path.read_bytes()[:at] + garbage)
    assert cli.main(["attach", str(path), *how]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(str(path)) and " byte " in line and "only what came before is told" in line


def test_what_was_saved_before_a_cut_is_told_as_known_in_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path / "run.rxkv", 3)
    path.write_bytes(path.read_bytes()[:-5])
    _, told, _ = report(capsys, str(path), "--once", "--json")
    (rank,) = told["fleet"]["ranks"]  # type: ignore[index]
    assert (rank["known"], rank["cached_tokens"]) == ("partial", 32)
    assert rank["why"].startswith("it ends within the message at byte ")


def test_saved_events_that_are_none_are_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path / "run.rxkv", 0)
    assert cli.main(["attach", str(path), "--once", "--json"]) == 0
    assert capsys.readouterr().err == f"{path} holds no events: none were published while it was saved\n"


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("nope.rxkv", None, "no such file: "),
        ("nope", None, "no such file: "),
        ("text.txt", b"hello", "is no file of saved KV events (RXKV)"),
        ("empty.rxkv", b"", "is no file of saved KV events (RXKV)"),
        ("text.rxkv.gz", b"hello", "is no file of saved KV events (RXKV)"),
        ("", None, "is a directory"),
    ],
)
def test_what_is_no_file_of_saved_events_is_said_to_be_none(
    name: str, raw: bytes | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    if raw is not None:
        path.write_bytes(raw)
    assert cli.main(["attach", str(path)]) == 2
    told = capsys.readouterr().err
    assert said in told and "attach takes the FILE of KV events" in told


def test_saved_events_and_a_server_are_not_watched_together(tmp_path: Path) -> None:
    path = tmp_path / "saved.bin"
    StreamWriter(path).close()
    with pytest.raises(UsageError, match="different times"):
        NetworkSession([network_target_of(str(path)), network_target_of("sglang://127.0.0.1:1")], Access())


def test_there_is_nothing_to_ask_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "saved.bin"
    StreamWriter(path).close()
    assert cli.main(["doctor", str(path)]) == 2
    assert f"radixtop attach {path}" in capsys.readouterr().err

"""Attaching with --text shows what prompts say, on the screen alone; without it nobody is asked for any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import perf_counter_ns

import pytest

from probes.engines.access import Access, Address
from probes.kv.publisher import KVPublisher, PublisherOptions
from probes.kv_mirror.tokens import NoTokens
from probes.text_options import TextOptions
from radixtop import cli
from radixtop.engine_target import network_targets_of
from radixtop.errors import RadixtopError, UsageError
from radixtop.naming import name_of
from radixtop.network_session import NetworkSession
from radixtop.printable import one_line
from radixtop.text_flags import TextFlags, text_options_of, tokenizer_file
from tests.support import engine_pages
from tests.support.fake_server import Page
from tests.support.text_server import TextServer, detokenizing

PROMPTS = ("You are a helpful\nassistant.\x1b[31m", "Translate this page.")
SERVER, STREAM = "sglang://127.0.0.1:30000", "tcp://127.0.0.1:5557"


NO_TOKENS = "no text of prompts: its events carry no token ids"


@contextmanager
def published(*prompts: str) -> Iterator[KVPublisher[object]]:
    """Publish prompts as SGLang does, a token for each character."""
    options = PublisherOptions(endpoint="tcp://127.0.0.1:0", replay_endpoint="tcp://127.0.0.1:0")
    publisher = KVPublisher[object](lambda event: event, options)
    try:
        publish(publisher, prompts)
        yield publisher
    finally:
        publisher.close()


def publish(publisher: KVPublisher[object], prompts: Iterable[str]) -> None:
    for number, prompt in enumerate(prompts, 1):
        tokens = [ord(character) for character in prompt]
        event = {"type": "BlockStored", "block_hashes": [number], "token_ids": tokens, "block_size": len(tokens)}
        publisher.publish([event])


def pages(publisher: KVPublisher[object]) -> Mapping[str, Page]:
    live, replay = (int(at.rpartition(":")[2]) for at in (publisher.endpoint, publisher.replay_endpoint))
    events = {"publisher": "zmq", "endpoint_host": "*", "endpoint_port_base": live, "topic": "", "block_size": 16,
              "replay_endpoint_port_base": replay, "dp_size": 1}  # fmt: skip
    return engine_pages.sglang("0.5.23", kv_events=events)


@contextmanager
def server(**options: object) -> Iterator[TextServer]:
    with published(*PROMPTS) as publisher, detokenizing(pages=pages(publisher), **options) as found:  # type: ignore[arg-type]
        yield found


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    assert cli.main(["attach", *words]) == 0
    shown = capsys.readouterr()
    return shown.out, shown.err


def test_the_screen_shows_what_prompts_say_and_that_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    with server() as found:
        out, err = told(capsys, f"sglang://{found.address.place}", "--text", "--once")
    assert "text of prompts shown" in out.splitlines()[0]
    assert "You are a helpful⏎assistant." in out
    assert "\x1b" not in out + err
    assert len(found.rows) == len(set(found.rows))
    assert {bytes(row).decode() for row in found.rows} <= set(PROMPTS)


@contextmanager
def watching(target: str, text: TextOptions | None) -> Iterator[NetworkSession]:
    session = NetworkSession(network_targets_of([target]), Access(), text)
    try:
        yield session
    finally:
        session.close()


def names_in(session: NetworkSession, until: Callable[[set[str], str], bool]) -> tuple[set[str], str]:
    """Tick and look at every node, as a screen does, until that shows what is waited for."""
    for _ in range(2_000):
        source = session.tick(perf_counter_ns()).source
        nodes = [node for node in session.mirror.nodes.values() if node.id]
        names = {name_of(session.mirror, node) for node in nodes}
        if len(nodes) == len(PROMPTS) and until(names, source.message):
            return names, source.message
        Event().wait(0.005)
    raise AssertionError((names, source))


def test_another_server_tells_the_text_of_a_bare_stream() -> None:
    with published() as publisher, detokenizing("vllm") as found:
        text = TextOptions(engine="vllm", address=found.address)
        with watching(publisher.endpoint, text) as session:
            while "connected" not in session.tick(perf_counter_ns()).source.message:
                Event().wait(0.005)
            publish(publisher, PROMPTS)
            names, _ = names_in(session, lambda names, _: not any("·" in name[:8] for name in names))
    assert names == {one_line(prompt) for prompt in PROMPTS}


@pytest.mark.parametrize("status", [401, 404, 500])
def test_why_there_is_no_text_is_said_in_one_line_and_the_tree_lives_on(status: int) -> None:
    with (
        server(status=status, body=b"SECRET") as found,
        watching(f"sglang://{found.address.place}", TextOptions()) as session,
    ):
        names, said = names_in(session, lambda _, message: "no text" in message)
    assert "/detokenize" in said
    assert "\n" not in said
    assert "SECRET" not in said
    assert all(name.startswith("0..+") for name in names)


def test_why_events_without_tokens_have_no_text_is_said_before_what_the_metrics_lack(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with published() as publisher, detokenizing(pages=pages(publisher), status=404) as found:
        publisher.publish([{"type": "BlockStored", "block_hashes": [1, 2], "token_ids": [], "block_size": 16}])
        out, _ = told(capsys, f"sglang://{found.address.place}", "--text", "--once")
        with watching(f"sglang://{found.address.place}", TextOptions()) as session:
            said = ""
            while "metrics" not in said or NO_TOKENS not in said:
                said = session.tick(perf_counter_ns()).source.message
                Event().wait(0.005)
    assert "text of prompts asked for" in out.splitlines()[0]
    assert said.index(NO_TOKENS) < said.index("metrics")


def test_nobody_is_asked_for_text_that_was_not_wanted() -> None:
    with server() as found, watching(f"sglang://{found.address.place}", None) as session:
        names, _ = names_in(session, lambda *_: True)
        assert type(session._fleet._turn[0].follower.rank.tree.kept) is NoTokens
    assert found.rows == []
    assert all(name.startswith("0..+") for name in names)


def test_metrics_and_json_hold_no_text_even_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    with server() as found:
        words = (f"sglang://{found.address.place}", "--text", "--once", "--json", "--prometheus", "0")
        out, err = told(capsys, *words)
    assert "You are" not in out + err


def wanted(*targets: str, **flags: object) -> TextOptions | None:
    return text_options_of(TextFlags(**flags), network_targets_of(targets) if targets else [])  # type: ignore[arg-type]


def test_text_is_told_by_the_server_watched_unless_somebody_else_is_named() -> None:
    assert wanted(SERVER) is None
    assert wanted(SERVER, text=True) == TextOptions()
    elsewhere = TextOptions(engine="vllm", address=Address("::1", 8000))
    assert wanted(STREAM, text_from="vllm://[::1]") == elsewhere


@pytest.mark.parametrize(
    ("targets", "flags", "said"),
    [
        ((), {"text": True}, "tells no tokens"),
        ((SERVER, STREAM), {"text": True}, "--text-from"),
        ((SERVER,), {"text_from": STREAM}, "is no server"),
        ((SERVER,), {"tokenizer": "a", "text_from": SERVER}, "leave one out"),
        ((SERVER,), {"tokenizer": "Qwen/Qwen3-8B"}, "nothing is downloaded"),
        ((SERVER,), {"tokenizer": "../../etc"}, "nothing is downloaded"),
        ((SERVER,), {"tokenizer": "x" * 5_000}, "nothing is downloaded"),
        ((SERVER,), {"tokenizer": "\0"}, "nothing is downloaded"),
    ],
)
def test_what_cannot_be_meant_is_said_with_what_to_do(
    targets: tuple[str, ...], flags: dict[str, object], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(UsageError) as raised:
        wanted(*targets, **flags)
    assert said in f"{raised.value.message}; {raised.value.hint}"


def test_without_the_library_the_extra_is_named_before_anything_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radixtop.text_flags.find_spec", lambda name: None)
    with pytest.raises(RadixtopError) as raised:
        wanted(SERVER, tokenizer="any")
    assert raised.value.hint == "pip install 'radixtop[text]'"


def test_a_tokenizer_is_found_by_its_path_its_folder_and_the_name_of_a_model_on_this_disk(tmp_path: Path) -> None:
    file = tmp_path / "hub" / "models--Qwen--Qwen3" / "snapshots" / "abc" / "tokenizer.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    for text in (str(file), str(file.parent), "Qwen/Qwen3"):
        assert tokenizer_file(text, {"HF_HOME": str(tmp_path)}) == file
    with pytest.raises(UsageError, match="has no tokenizer"):
        tokenizer_file(str(tmp_path), {})

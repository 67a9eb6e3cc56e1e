"""What is read off the answers of an SGLang server."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.engines.access import Access, Address, Token
from probes.engines.errors import BadAnswerError, DeniedError, SlowAnswerError, UnknownPathError
from probes.engines.http import HttpClient
from probes.engines.kv_config import Vantage
from probes.engines.server import KVEndpoint, ServerInfo, read_server
from probes.engines.sglang_info import server_of
from tests.support.engine_pages import sglang, sglang_info
from tests.support.fake_server import listening, page, serving, silence

AWAY = Vantage(Address("gpu7", 30000), False)
HERE = Vantage(Address("127.0.0.1", 30000), True)


def told(version: str = "0.5.22", seen: Vantage = AWAY, **changed: object) -> ServerInfo:
    """Return what is read off an answer."""
    return server_of(sglang_info(version, **changed), seen)  # type: ignore[arg-type]


def flags(server: ServerInfo) -> str:
    """Return how to start a server with what it lacks."""
    return " | ".join(each.start for each in server.missing)


def test_a_new_server_says_everything() -> None:
    assert told("0.5.22") == ServerInfo(
        engine="sglang",
        version="0.5.22",
        model="meta-llama/Llama-3.1-8B-Instruct",
        page_size=16,
        dp_size=1,
        kv=(KVEndpoint(0, "tcp://gpu7:5557", "tcp://gpu7:5600"),),
        capacity_tokens=400_000,
        kv_is_open=True,
    )


@pytest.mark.parametrize("version", ["0.5.13", "0.5.19"])
def test_before_0_5_22_the_replay_port_is_on_the_command_line(version: str) -> None:
    flag = '{"publisher":"zmq","replay_endpoint":"tcp://*:5558"}'
    assert told(version, kv_events_config=flag).kv == (KVEndpoint(0, "tcp://gpu7:5557", "tcp://gpu7:5558"),)


@pytest.mark.parametrize("version", ["0.5.13", "0.5.19"])
def test_without_a_replay_port_the_flag_is_named(version: str) -> None:
    server = told(version)
    assert server.kv == (KVEndpoint(0, "tcp://gpu7:5557"),)
    assert '"replay_endpoint":"tcp://*:6557"' in flags(server)


@pytest.mark.parametrize("version", ["0.5.1", "0.5.12"])
def test_before_0_5_13_all_is_on_the_command_line(version: str) -> None:
    flag = '{"publisher":"zmq","endpoint":"tcp://*:6000","topic":"kv"}'
    assert told(version, kv_events_config=flag).kv == (KVEndpoint(0, "tcp://gpu7:6000", None, "kv"),)


@pytest.mark.parametrize("version", ["0.5.13", "0.5.23"])
@pytest.mark.parametrize("flag", [None, '{"publisher":"null"}', "{}", "no json", 5])
def test_a_server_without_events_is_told_the_whole_flag(version: str, flag: object) -> None:
    server = told(version, kv_events=None, kv_events_config=flag)
    assert server.kv == ()
    assert server.missing[0].start.startswith(
        'start it with --kv-events-config \'{"publisher":"zmq","endpoint":"tcp://*:5557"'
    )


def test_a_server_that_does_not_say_is_not_said_to_have_none() -> None:
    server = told("0.5.6")
    assert "does not say whether" in server.missing[0].why
    assert "tcp://HOST:5557" in server.missing[0].why


def test_each_rank_has_its_own_ports() -> None:
    server = told(events={"dp_size": 3})
    assert [(each.rank, each.live, each.replay) for each in server.kv] == [
        (rank, f"tcp://gpu7:{5557 + rank}", f"tcp://gpu7:{5600 + rank}") for rank in range(3)
    ]


@pytest.mark.parametrize("host", ["*", "0.0.0.0", "::", "[::]"])
def test_a_wildcard_is_the_host_of_the_server(host: str) -> None:
    assert told(events={"endpoint_host": host}).kv[0].live == "tcp://gpu7:5557"


def test_the_host_of_an_ipv6_server_stands_in_brackets() -> None:
    assert told(seen=Vantage(Address("fd00::7", 30000), False)).kv[0].live == "tcp://[fd00::7]:5557"


def test_ranks_of_other_nodes_are_said_to_be_unknown() -> None:
    server = told(events={"dp_size": 4}, nnodes=2)
    assert [each.rank for each in server.kv] == [0, 1]
    assert "ranks 2 to 3, on its other nodes" in server.warnings[0]
    assert "tcp://NODE:5559" in server.warnings[0]


def test_a_publisher_on_the_loopback_of_another_machine_is_out_of_reach() -> None:
    server = told(events={"endpoint_host": "127.0.0.1"})
    assert server.kv == ()
    assert "its own machine alone" in server.warnings[0]
    assert '"endpoint":"tcp://*:5557"' in server.warnings[0]


def test_a_publisher_on_the_loopback_of_this_machine_is_in_reach() -> None:
    server = told(seen=HERE, events={"endpoint_host": "127.0.0.1"}, kv_events_config='{"bind":true}')
    assert server.kv == (KVEndpoint(0, "tcp://127.0.0.1:5557", "tcp://127.0.0.1:5600"),)


@pytest.mark.parametrize(
    ("version", "host", "flag", "waits"),
    [
        ("0.5.12", "0.0.0.0", None, False),
        ("0.5.13", "0.0.0.0", None, True),
        ("0.5.23", "10.0.0.9", None, False),
        ("0.5.23", "10.0.0.9", True, True),
        ("0.5.21", "10.0.0.9", True, False),
        ("0.5.23", "*", False, False),
        ("0.5.1", "*", None, True),
    ],
)
def test_a_publisher_that_connects_is_told_apart(version: str, host: str, flag: bool | None, waits: bool) -> None:
    config = {"publisher": "zmq", "endpoint": f"tcp://{host}:5557"} | ({} if flag is None else {"bind": flag})
    server = told(version, events={"endpoint_host": host}, kv_events_config=json.dumps(config))
    assert [each.is_awaited for each in server.kv] == [not waits]
    assert ("waits for nobody" in " ".join(server.warnings)) is not waits


def test_a_path_is_read_on_its_own_machine_alone() -> None:
    flag = '{"publisher":"zmq","endpoint":"ipc:///tmp/kv"}'
    assert told(seen=HERE, kv_events=None, kv_events_config=flag).kv == (KVEndpoint(0, "ipc:///tmp/kv"),)
    away = told(kv_events=None, kv_events_config=flag)
    assert away.kv == ()
    assert "ipc:///tmp/kv" in away.warnings[0]


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("0.5.6", "0.5.6 are wrong"),
        ("0.5.6.post2", "0.5.6 are wrong"),
        ("0.5.5", "equal pages"),
        ("0.5.11", "unified tree of 0.5.11"),
        ("0.5.12", "unified tree of 0.5.12"),
    ],
)
def test_versions_whose_events_are_wrong_are_named(version: str, said: str) -> None:
    assert said in told(version, kv_events_config='{"publisher":"zmq"}').warnings[0]


@pytest.mark.parametrize("version", ["0.5.7", "0.5.10.post1", "0.5.13", "0.5.23", "0.6.0", "0.0.0.dev1+gabc", "main"])
def test_others_are_not(version: str) -> None:
    assert told(version, kv_events_config='{"publisher":"zmq"}').warnings == ()


def test_flags_that_a_server_lacks_are_named() -> None:
    server = told(enable_metrics=False, enable_cache_report=False, events={"dp_size": 2})
    assert [each.feature for each in server.missing] == ["metrics", "rank metrics", "cache report"]
    assert "with --enable-metrics |" in flags(server)


def test_a_server_without_a_tree_is_warned_of() -> None:
    assert "--disable-radix-cache" in told(disable_radix_cache=True).warnings[0]


@pytest.mark.parametrize(
    ("path", "version"), [("/server_info", "0.5.19"), ("/get_server_info", "0.5.4")], ids=["new", "old"]
)
def test_it_is_read_off_a_server(path: str, version: str) -> None:
    info = sglang_info(version, kv_events_config='{"publisher":"zmq"}')
    with serving({path: page(info)}) as server:
        found = read_server("sglang", HttpClient(server.address))
    assert found.version == version
    assert found.kv[0].live == "tcp://127.0.0.1:5557"
    assert not [asked for asked in server.asked if "health" in asked]


def test_the_model_is_asked_for_where_the_configuration_does_not_say() -> None:
    info = sglang_info("0.5.22", model_path=None, served_model_name=None)
    with serving({"/server_info": page(info), "/model_info": page({"model_path": "qwen"})}) as server:
        assert read_server("sglang", HttpClient(server.address)).model == "qwen"


def test_a_server_that_wants_a_key_gets_it() -> None:
    with serving(sglang("0.5.22"), token="sk-1") as server:
        with pytest.raises(DeniedError):
            read_server("sglang", HttpClient(server.address))
        assert read_server("sglang", HttpClient(server.address, Access(Token("sk-1")))).version == "0.5.22"


def test_another_engine_is_recognised_as_none() -> None:
    with serving({"/version": page({"version": "0.31.0"})}) as server, pytest.raises(UnknownPathError) as caught:
        read_server("sglang", HttpClient(server.address))
    assert "vllm://" in caught.value.hint


def test_an_answer_that_is_no_object_is_refused() -> None:
    with serving({"/server_info": page([1])}) as server, pytest.raises(BadAnswerError):
        read_server("sglang", HttpClient(server.address))


def test_a_server_that_hangs_is_given_up() -> None:
    with listening(silence) as address, pytest.raises(SlowAnswerError):
        read_server("sglang", HttpClient(address, Access(deadline_s=0.1)))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=20), inner, max_size=3),
    max_leaves=8,
)
KEYS = [*sglang_info("0.5.22"), "kv_events_config"]
EVENT_KEYS = [*sglang_info("0.5.22")["kv_events"]]  # type: ignore[misc]


@given(
    st.dictionaries(st.sampled_from(KEYS), json_values),
    st.dictionaries(st.sampled_from(EVENT_KEYS), json_values),
    st.sampled_from([AWAY, HERE]),
)
@settings(max_examples=60)
def test_nothing_that_a_server_says_raises(
    fields: dict[str, object], events: dict[str, object], seen: Vantage
) -> None:
    said = {"kv_events": {"endpoint_port_base": 5557, **events}, **fields}
    server = server_of(said, seen)
    assert len(server.kv) <= 1_024
    assert (server.left_out == "") == ((server.dp_size or 1) <= 1_024)
    texts = [server.version, server.model, *(each.topic for each in server.kv)]
    assert all(len(text.encode()) <= 800 for text in texts if text is not None)


def test_data_parallel_attention_shares_the_tensor_parallel_schedulers() -> None:
    assert told().tp_size is None
    assert told(tp_size=8, events={"dp_size": 2}).tp_size == 8
    assert told(tp_size=8, enable_dp_attention=True, events={"dp_size": 4}).tp_size == 2


@pytest.mark.parametrize(("ranks", "replay", "clashes"), [(1, 5557, 1), (2, 5558, 1), (8, 5556, 7), (2, 5559, 0)])
def test_replays_at_the_port_of_another_rank_are_warned_of(ranks: int, replay: int, clashes: int) -> None:
    server = told(events={"replay_endpoint_port_base": replay, "dp_size": ranks})
    assert len(server.warnings) == (clashes > 0)
    for warning in server.warnings:
        assert "one of them cannot listen" in warning
        assert '"replay_endpoint":"tcp://*:6557"' in warning
        assert ("more like that" in warning) == (clashes > 1)


def test_the_flag_for_replays_has_the_port_of_the_server() -> None:
    events = {"replay_endpoint_port_base": None, "endpoint_port_base": 65530}
    assert '"replay_endpoint":"tcp://*:64530"' in flags(told(events=events))


def test_ranks_past_the_most_that_are_followed_are_said_to_be_left_out() -> None:
    assert told(events={"dp_size": 1_024}).left_out == ""
    server = told(events={"dp_size": 1_500})
    assert (server.dp_size, len(server.kv)) == (1_500, 1_024)
    assert server.left_out == "476 of its 1,500 ranks are left out: the first 1,024 are followed"

"""What is read off the answers of a vLLM server."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.engines.access import Address
from probes.engines.errors import UnknownPathError
from probes.engines.http import HttpClient
from probes.engines.kv_config import Vantage
from probes.engines.server import KVEndpoint, ServerInfo, read_server
from probes.engines.vllm_info import Said, cache_configs, server_of
from tests.support.engine_pages import sglang, vllm, vllm_metrics, vllm_source
from tests.support.fake_server import Page, page, serving, text_page

AWAY = Vantage(Address("gpu7", 8000), False)
HERE = Vantage(Address("127.0.0.1", 8000), True)


def told(sources: object, version: str = "0.31.0", seen: Vantage = AWAY) -> ServerInfo:
    """Return what is read off the answers of a server with such sources of events."""
    return server_of(Said(version, sources, vllm_metrics(), {"data": [{"id": "llama"}]}), seen)


def test_a_new_server_says_everything() -> None:
    with serving(vllm("0.31.0", {"0": vllm_source()})) as server:
        found = read_server("vllm", HttpClient(server.address))
    endpoint = KVEndpoint(0, "tcp://127.0.0.1:5557", "tcp://127.0.0.1:5558", "kv-events")
    assert found == ServerInfo(
        engine="vllm",
        version="0.31.0",
        model="llama",
        page_size=16,
        dp_size=1,
        kv=(endpoint,),
        capacity_tokens=8191 * 16,
        kv_is_open=True,
    )


def test_an_old_server_does_not_say_where_it_publishes() -> None:
    with serving(vllm("0.20.0")) as server:
        found = read_server("vllm", HttpClient(server.address))
    assert (found.version, found.page_size, found.kv) == ("0.20.0", 16, ())
    assert found.missing[0].start.startswith('start it with --kv-events-config \'{"enable_kv_cache_events":true')
    assert "name the port: tcp://HOST:5557" in found.missing[0].why


def test_the_command_line_says_it_where_it_can_be_read() -> None:
    flag = json.dumps(vllm_source())
    server = server_of(Said("0.20.0", None, vllm_metrics(2), None, flag), HERE)
    assert [(each.rank, each.live) for each in server.kv] == [
        (0, "tcp://127.0.0.1:5557"),
        (1, "tcp://127.0.0.1:5558"),
    ]


@pytest.mark.parametrize("flag", ["", "{}", '{"publisher":"zmq"}', '{"enable_kv_cache_events":false}', "no json"])
def test_a_command_line_without_events_says_that_there_are_none(flag: str) -> None:
    server = server_of(Said("0.20.0", None, vllm_metrics(), None, flag), HERE)
    assert server.kv == ()
    assert server.missing[0].why.startswith("no KV events are published")


@pytest.mark.parametrize("sources", [{}, [], {"0": None}, {"0": {"enable_kv_cache_events": False}}, "no", {"x": {}}])
def test_sources_that_are_none_name_the_flag(sources: object) -> None:
    server = told(sources)
    assert server.kv == ()
    assert "--kv-events-config" in server.missing[0].start


def test_ranks_say_their_own_ports() -> None:
    server = told({"1": vllm_source("tcp://10.0.0.7:40001"), "0": vllm_source("tcp://10.0.0.7:40000")})
    assert [(each.rank, each.live) for each in server.kv] == [
        (0, "tcp://10.0.0.7:40000"),
        (1, "tcp://10.0.0.7:40001"),
    ]
    assert server.dp_size == 2
    assert server.warnings == ()


def test_ranks_that_all_say_the_same_port_are_a_number_higher_each() -> None:
    server = told({"0": vllm_source(), "1": vllm_source()})
    assert [each.live for each in server.kv] == ["tcp://gpu7:5557", "tcp://gpu7:5558"]


@pytest.mark.parametrize("endpoint", ["tcp://0.0.0.0:5557", "tcp://127.0.0.1:5557", "tcp://localhost:5557"])
def test_an_endpoint_that_it_connects_to_is_warned_of(endpoint: str) -> None:
    server = told({"0": vllm_source(endpoint)}, seen=HERE)
    assert server.kv[0].is_awaited
    assert f"connects to {endpoint}" in server.warnings[0]
    assert '"endpoint":"tcp://*:5557"' in server.warnings[0]


def test_without_a_replay_port_the_flag_is_named() -> None:
    server = told({"0": vllm_source(replay_endpoint=None)})
    assert server.kv[0].replay is None
    assert '"replay_endpoint"' in server.missing[0].start


@pytest.mark.parametrize("metrics", [None, "", "<html>", "python_info 1\n"])
def test_no_metrics_name_the_flag(metrics: str | None) -> None:
    assert "--disable-log-stats" in server_of(Said("0.31.0", {}, metrics), AWAY).missing[1].start


def test_block_lives_that_are_not_measured_name_the_flag() -> None:
    page_without = vllm_metrics().replace("kv_block_lifetime", "other")
    assert server_of(Said("0.31.0", {}, page_without), AWAY).missing[1].feature == "block lives"
    assert len(server_of(Said("0.11.2", {}, page_without), AWAY).missing) == 1


def test_a_server_without_prefix_caching_is_warned_of() -> None:
    server = server_of(Said("0.31.0", {}, vllm_metrics(caching=False)), AWAY)
    assert "--no-enable-prefix-caching" in server.warnings[0]


def test_a_model_behind_a_key_is_said_to_be() -> None:
    pages = {**vllm("0.31.0", {"0": vllm_source()}), "/v1/models": Page(b"", 401)}
    with serving(pages) as server:
        found = read_server("vllm", HttpClient(server.address))
    assert found.model is None
    assert found.kv
    assert "RADIXTOP_API_KEY" in found.warnings[0]


def test_a_page_that_fails_is_said_to_and_the_rest_is_read() -> None:
    pages = {**vllm("0.31.0", {"0": vllm_source()}), "/metrics": Page(b"", 500)}
    with serving(pages) as server:
        found = read_server("vllm", HttpClient(server.address))
    assert found.kv
    assert "/metrics failed (500)" in found.warnings[0]


def test_another_engine_is_recognised_as_none() -> None:
    with serving(sglang("0.5.22")) as server, pytest.raises(UnknownPathError) as caught:
        read_server("vllm", HttpClient(server.address))
    assert "sglang://" in caught.value.hint


def test_labels_with_quotes_and_braces_are_read() -> None:
    (labels,) = cache_configs('vllm:cache_config_info{a="x\\"}y",block_size="16"} 1.0\n')
    assert labels["block_size"] == "16"


@given(st.text(alphabet='vllm:cache_config_info{}="\\,\n 160', max_size=200))
def test_no_page_of_metrics_raises(text: str) -> None:
    assert not server_of(Said("0.31.0", None, f"vllm:cache_config_info{{{text}"), AWAY).left_out


@given(
    st.dictionaries(
        st.text(alphabet="0123456789x-", max_size=14),
        st.none()
        | st.dictionaries(st.sampled_from([*vllm_source()]), st.text(max_size=40) | st.integers() | st.none()),
    )
)
def test_no_sources_raise(sources: dict[str, object]) -> None:
    assert len(told(sources).kv) <= 256


def test_an_answer_of_another_kind_is_survived() -> None:
    pages = vllm("0.31.0", "no") | {"/v1/models": page([1]), "/version": page([])}
    with serving(pages) as server:
        found = read_server("vllm", HttpClient(server.address))
    assert (found.version, found.model, found.kv) == (None, None, ())


def test_ranks_past_the_most_that_are_followed_are_said_to_be_left_out() -> None:
    server = told({str(rank): vllm_source() for rank in range(1_025)})
    assert (server.dp_size, len(server.kv)) == (1_025, 1_024)
    assert server.left_out.startswith("1 of its 1,025 ranks is left out")
    assert "6 of its 1,030 ranks" in server_of(Said(metrics=vllm_metrics(1_030)), AWAY).left_out


def test_another_server_that_answers_for_a_version_is_not_taken_for_vllm() -> None:
    pages = {"/version": page([]), "/metrics": text_page("sglang:num_running_reqs 0\n")}
    with serving(pages) as server, pytest.raises(UnknownPathError) as caught:
        read_server("vllm", HttpClient(server.address))
    assert "answers, but not as vLLM does" in str(caught.value)
    assert f"its metrics are those of SGLang: sglang://{server.address.place}" in caught.value.hint


def test_replays_at_the_port_of_another_rank_are_warned_of() -> None:
    both = told({"0": vllm_source(), "1": vllm_source()})
    assert "replays of rank 0 are both at tcp://gpu7:5558" in both.warnings[0]
    far = vllm_source(replay_endpoint="tcp://*:6557")
    assert told({"0": far, "1": far}).warnings == ()

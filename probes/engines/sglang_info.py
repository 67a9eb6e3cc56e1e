"""What an SGLang server says of itself, from 0.5.1 on.

`/server_info` goes through every scheduler: it is asked once. `/health` generates a token and is never asked.
"""

from __future__ import annotations

from dataclasses import replace

from probes.engines.connection import Deadline, is_this_machine
from probes.engines.errors import BadAnswerError, EngineError, UnknownPathError
from probes.engines.fields import (
    Fields,
    fields_of,
    list_of,
    parsed_fields,
    switch_in,
    text_in,
    version_of,
    whole_in,
)
from probes.engines.http import HttpClient
from probes.engines.kv_config import (
    KVConfig,
    Publishing,
    Vantage,
    clash_of,
    config_of,
    no_events,
    publishing_of,
    split_tcp,
)
from probes.engines.local_process import flag_of_listener
from probes.engines.server import Missing, ServerInfo
from probes.kv.endpoints import LAST_PORT
from probes.kv.server_flag import FLAG
from probes.ranks import MOST_RANKS

_MOST_TOKENS = _MOST_TOLD = 2**48
_LOOK_UP_S = 0.5

_METRICS = Missing(
    "metrics",
    "start it with --enable-metrics",
    "no metrics: hit rate, pools, queue and latencies of the server stay unseen",
)
_ALL_METRICS = Missing(
    "rank metrics",
    "start it with --enable-metrics-for-all-schedulers",
    "metrics of one rank alone stand for all ranks",
)
_CACHE_REPORT = Missing(
    "cache report",
    "start it with --enable-cache-report",
    "its answers do not tell clients how much of a prompt was cached",
)
_NO_EVENTS = "no KV events are published: the prefixes in the cache stay unseen"
_FIRST_WITH_BIND = (0, 5, 22)
_UNKNOWN_EVENTS = no_events(
    "sglang", "it does not say whether it publishes KV events; if it does, name the port: tcp://HOST:5557"
)


def read(client: HttpClient) -> ServerInfo:
    """Return what the server says of itself. Raises EngineError where there is no SGLang, or where it refuses."""
    said = _server_info(client)
    address = client.address
    is_here = address.is_loopback or is_this_machine(address.host, address.port, Deadline(_LOOK_UP_S))
    if is_here and not _tells_of_events(said):
        flag = flag_of_listener(address.port, FLAG, "sglang")
        said = said if flag is None else {**said, "kv_events_config": flag}
    found = server_of(said, Vantage(address, is_here))
    if found.model is None:
        found = replace(found, model=_model_of(client))
    return found


def server_of(said: Fields, seen: Vantage) -> ServerInfo:
    """Return what the answer of `/server_info` means, as far as it can be understood."""
    events = fields_of(said.get("kv_events"))
    version = text_in(said, "version")
    dp_size = whole_in(events, "dp_size", 1, _MOST_TOLD) or whole_in(said, "dp_size", 1, _MOST_TOLD)
    publishing = _publishing_said(said, dp_size or 1, seen)
    return ServerInfo(
        engine="sglang",
        version=version,
        model=text_in(said, "model_path", "served_model_name"),
        page_size=whole_in(events, "block_size", 1, 2**20) or whole_in(said, "page_size", 1, 2**20),
        dp_size=dp_size,
        kv=publishing.kv,
        capacity_tokens=_capacity_of(said),
        missing=publishing.missing + _missing(said, dp_size or 1),
        warnings=publishing.warnings
        + clash_of(publishing.kv)
        + _warnings(said, version_of(version), bool(publishing.kv)),
        kv_is_open=publishing.is_open,
        tp_size=_tp_size(said, dp_size or 1),
    )


def _tp_size(said: Fields, dp_size: int) -> int | None:
    """Return the tensor-parallel schedulers of a data-parallel rank: attention that is data-parallel shares them."""
    size = whole_in(said, "tp_size", 1, MOST_RANKS)
    if size is None or not switch_in(said, "enable_dp_attention"):
        return size
    return max(1, size // dp_size)


def _server_info(client: HttpClient) -> Fields:
    for path in ("/server_info", "/get_server_info"):
        try:
            said = client.json(path)
        except UnknownPathError:
            continue
        if not isinstance(said, dict):
            raise BadAnswerError(f"{client.address}{path} answers with something else", "see whether this is SGLang")
        nested = fields_of(said.get("server_args"))
        return {**nested, **said}
    hint = f"if it is vLLM: vllm://{client.address.place}; else name the port of the engine"
    raise UnknownPathError(f"{client.address} answers, but not as SGLang does", hint)


def _model_of(client: HttpClient) -> str | None:
    try:
        return text_in(fields_of(client.json("/model_info")), "model_path")
    except EngineError:
        return None


def _tells_of_events(said: Fields) -> bool:
    return "kv_events_config" in said or "kv_events" in said


def _publishing_said(said: Fields, dp_size: int, seen: Vantage) -> Publishing:
    version = version_of(text_in(said, "version"))
    config = config_of(parsed_fields(said.get("kv_events_config")))
    described = _described(fields_of(said.get("kv_events")), config)
    if described is None and not config.is_publishing:
        is_local = seen.is_same_machine and version is not None and version >= _FIRST_WITH_BIND
        none = no_events("sglang", _NO_EVENTS, is_local=is_local)
        return Publishing(missing=(none if _tells_of_events(said) else _UNKNOWN_EVENTS,))
    config = described or config
    ranks = range(min(dp_size, MOST_RANKS))
    nodes = whole_in(said, "nnodes", 1, 4096) or 1
    if nodes > 1 and dp_size > 1:
        ranks = range(min(max(1, dp_size // nodes), MOST_RANKS))
    publishing = publishing_of(config, ranks, _binds(config, version), seen)
    if len(ranks) == min(dp_size, MOST_RANKS):
        return publishing
    where = f"tcp://NODE:{(split_tcp(config.endpoint) or ('', 5557))[1] + len(ranks)}"
    untold = f"it does not say where ranks {len(ranks)} to {dp_size - 1}, on its other nodes, publish"
    return replace(publishing, warnings=(*publishing.warnings, f"{untold}; name them: {where}"))


def _described(events: Fields, config: KVConfig) -> KVConfig | None:
    """Return what `kv_events` says, with what the flag says besides; None where it says nothing."""
    port = whole_in(events, "endpoint_port_base", 1, LAST_PORT)
    if port is None or text_in(events, "publisher") not in (None, "zmq"):
        return None
    host = text_in(events, "endpoint_host") or "*"
    replay_port = whole_in(events, "replay_endpoint_port_base", 1, LAST_PORT)
    replay = f"tcp://{_bracketed(host)}:{replay_port}" if replay_port else config.replay_endpoint
    return KVConfig(True, f"tcp://{_bracketed(host)}:{port}", replay, text_in(events, "topic") or "", config.bind)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _binds(config: KVConfig, version: tuple[int, int, int] | None) -> bool:
    """Say whether the publisher binds its endpoint, as a version decides that; one without numbers is a new one."""
    if config.bind is not None and _is_since(version, _FIRST_WITH_BIND):
        return config.bind
    is_any = "0.0.0.0" in config.endpoint and _is_since(version, (0, 5, 13))
    return "*" in config.endpoint or "::" in config.endpoint or is_any or config.endpoint.startswith("ipc://")


def _is_since(version: tuple[int, int, int] | None, first: tuple[int, int, int]) -> bool:
    return version is None or version >= first


def _capacity_of(said: Fields) -> int | None:
    states = [fields_of(state) for state in list_of(said.get("internal_states"))[:1]]
    for fields, name in [
        (said, "max_total_num_tokens"),
        *((state, "max_total_num_tokens") for state in states),
        *((fields_of(state.get("memory_usage")), "token_capacity") for state in states),
    ]:
        if found := whole_in(fields, name, 1, _MOST_TOKENS):
            return found
    return None


def _missing(said: Fields, dp_size: int) -> tuple[Missing, ...]:
    missing = []
    if switch_in(said, "enable_metrics") is False:
        missing.append(_METRICS)
    if dp_size > 1 and switch_in(said, "enable_metrics_for_all_schedulers") is False:
        missing.append(_ALL_METRICS)
    if switch_in(said, "enable_cache_report") is False:
        missing.append(_CACHE_REPORT)
    return tuple(missing)


def _warnings(said: Fields, version: tuple[int, int, int] | None, has_events: bool) -> tuple[str, ...]:
    warnings = []
    if switch_in(said, "disable_radix_cache"):
        warnings.append("it was started with --disable-radix-cache: no prefix is ever reused")
    if has_events and version is not None:
        if version < (0, 5, 6):
            warnings.append("its events do not tell equal pages of two prefixes apart: use 0.5.7 or later")
        if version == (0, 5, 6):
            warnings.append("the events of 0.5.6 are wrong (a split removes what stays): use 0.5.7 or later")
        if version in ((0, 5, 11), (0, 5, 12)):
            warnings.append(f"the unified tree of 0.5.{version[2]} publishes no events: use 0.5.13 or later")
    return tuple(warnings)

"""What a vLLM server says of itself, from 0.9 on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from probes.engines.connection import Deadline, is_this_machine
from probes.engines.errors import DeniedError, EngineError, UnknownPathError
from probes.engines.faults import GIVE_KEY
from probes.engines.fields import Fields, fields_of, list_of, parsed_fields, text_in, version_of
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
from probes.engines.server import KVEndpoint, Missing, ServerInfo
from probes.kv.endpoints import is_loopback
from probes.kv.server_flag import FLAG
from probes.ranks import MOST_RANKS

_LOOK_UP_S = 0.5
_SOURCES = "/kv_event_sources"
_FIRST_WITH_BLOCK_LIVES = (0, 12, 0)

_CACHE_CONFIG = re.compile(r"^vllm[:_]cache_config_info\{(.*)\}", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_WHOLE = re.compile(r"\d{1,12}")

_NO_EVENTS = no_events("vllm", "no KV events are published: the prefixes in the cache stay unseen")
_UNKNOWN_EVENTS = no_events(
    "vllm",
    "before 0.31 it does not say whether it publishes KV events; if it does, name the port: tcp://HOST:5557",
)
_NO_METRICS = Missing(
    "metrics",
    "start it without --disable-log-stats",
    "no metrics: hit rate, queue and latencies of the server stay unseen",
)
_NO_BLOCK_LIVES = Missing(
    "block lives", "start it with --kv-cache-metrics", "how long blocks live and lie idle is not measured"
)


@dataclass(frozen=True, slots=True)
class Said:
    """The answers of a server; None for a page that it does not have."""

    version: str | None = None
    sources: object = None
    metrics: str | None = None
    models: object = None
    flag: str | None = None
    """What stands behind --kv-events-config on the command line of its process, where that can be read."""


def read(client: HttpClient) -> ServerInfo:
    """Return what the server says of itself. Raises EngineError where there is no vLLM, or where it refuses."""
    try:
        version = text_in(fields_of(client.json("/version")), "version")
    except UnknownPathError:
        raise _another(client, f"if it is SGLang: {_sglang(client)}") from None
    address = client.address
    is_here = address.is_loopback or is_this_machine(address.host, address.port, Deadline(_LOOK_UP_S))
    warnings: list[str] = []
    sources = _json(client, _SOURCES, warnings)
    metrics = _metrics(client, warnings)
    if version is None and not re.search(r"^vllm[:_]", metrics or "", re.MULTILINE):
        is_sglang = re.search(r"^sglang[:_]", metrics or "", re.MULTILINE)
        raise _another(client, f"{'its metrics are those of' if is_sglang else 'if it is'} SGLang: {_sglang(client)}")
    said = Said(
        version,
        sources,
        metrics,
        _json(client, "/v1/models", warnings),
        flag_of_listener(address.port, FLAG, "vllm") if is_here and sources is None else None,
    )
    return server_of(said, Vantage(address, is_here)).with_more(warnings=tuple(warnings))


def _another(client: HttpClient, hint: str) -> UnknownPathError:
    """Return what to raise where another server answers."""
    return UnknownPathError(
        f"{client.address} answers, but not as vLLM does", f"{hint}; else name the port of the engine"
    )


def _sglang(client: HttpClient) -> str:
    return f"sglang://{client.address.place}"


def server_of(said: Said, seen: Vantage) -> ServerInfo:
    """Return what the answers mean, as far as they can be understood."""
    page = said.metrics or ""
    engines, first = len(_CACHE_CONFIG.findall(page)), next(cache_configs(page), {})
    sources = _sources_of(said.sources)
    publishing = _publishing_said(said, sources, max(1, engines), seen)
    page_size, blocks = _whole(first, "block_size"), _whole(first, "num_gpu_blocks")
    models = list_of(fields_of(said.models).get("data"))
    found = ServerInfo(
        engine="vllm",
        version=said.version,
        model=next((name for each in models if (name := _name_of(each))), None),
        page_size=page_size,
        dp_size=len(sources) or engines or None,
        kv=publishing.kv,
        capacity_tokens=_capacity_of(page_size, blocks),
        missing=publishing.missing + _missing(said),
        warnings=publishing.warnings + clash_of(publishing.kv),
        kv_is_open=publishing.is_open,
    )
    if first.get("enable_prefix_caching") == "False":
        return found.with_more(warnings=("it was started with --no-enable-prefix-caching: no prefix is ever reused",))
    return found


def _capacity_of(page_size: int | None, blocks: int | None) -> int | None:
    """Return the tokens that all blocks hold together, but for the one that is never given out."""
    return (blocks - 1) * page_size if page_size and blocks and blocks > 1 else None


def cache_configs(page: str) -> Iterator[dict[str, str]]:
    """Yield the settings of each engine's cache, as labels on a page of metrics say them."""
    lines = (line for number, line in enumerate(_CACHE_CONFIG.finditer(page)) if number < MOST_RANKS)
    yield from (dict(_LABEL.findall(line[1])) for line in lines)


def _json(client: HttpClient, path: str, warnings: list[str]) -> object:
    """Return a page, None for one that is not there or that cannot be had; why, is then among the warnings."""
    try:
        return client.json(path)
    except UnknownPathError:
        return None
    except DeniedError as error:
        warnings.append(f"{error.message}: {GIVE_KEY}")
    except EngineError as error:
        warnings.append(error.message)
    return None


def _metrics(client: HttpClient, warnings: list[str]) -> str | None:
    try:
        return client.text("/metrics")
    except UnknownPathError:
        return None
    except EngineError as error:
        warnings.append(error.message)
        return None


def _sources_of(sources: object) -> dict[int, KVConfig]:
    """Return what each rank publishes, by its number."""
    ranks = {int(rank): fields_of(fields) for rank, fields in fields_of(sources).items() if _WHOLE.fullmatch(rank)}
    return {rank: config_of({"publisher": "zmq", **fields}) for rank, fields in sorted(ranks.items()) if fields}


def _publishing_said(said: Said, sources: dict[int, KVConfig], engines: int, seen: Vantage) -> Publishing:
    on = dict([(rank, config) for rank, config in sources.items() if config.is_publishing][:MOST_RANKS])
    if on:
        return _resolved(on, seen)
    if said.sources is not None:
        return Publishing(missing=(_NO_EVENTS,))
    if said.flag is None:
        return Publishing(missing=(_UNKNOWN_EVENTS,))
    config = config_of({"enable_kv_cache_events": False, **parsed_fields(said.flag)})
    if not config.is_publishing:
        return Publishing(missing=(_NO_EVENTS,))
    return publishing_of(config, range(min(engines, MOST_RANKS)), _binds(config), seen)


def _resolved(sources: dict[int, KVConfig], seen: Vantage) -> Publishing:
    """Return where ranks publish that say their own ports; where all say the same, each is its number higher."""
    are_equal = len({config.endpoint for config in sources.values()}) == 1 < len(sources)
    kv: list[KVEndpoint] = []
    missing: list[Missing] = []
    warnings: list[str] = []
    is_open = False
    for rank, config in sources.items():
        ranks = range(rank, rank + 1) if are_equal else range(1)
        publishing = publishing_of(config, ranks, _binds(config, is_resolved=True), seen)
        kv += [replace(endpoint, rank=rank) for endpoint in publishing.kv]
        missing += publishing.missing
        warnings += publishing.warnings
        is_open |= publishing.is_open
    return Publishing(tuple(kv), tuple(dict.fromkeys(missing)), tuple(dict.fromkeys(warnings)), is_open)


def _binds(config: KVConfig, is_resolved: bool = False) -> bool:
    """Say whether the publisher binds its endpoint: not 0.0.0.0, and a host only where it was made of a wildcard."""
    endpoint = config.endpoint
    if "*" in endpoint or "::" in endpoint or endpoint.startswith("ipc://"):
        return True
    where = split_tcp(endpoint)
    return is_resolved and where is not None and where[0] != "0.0.0.0" and not is_loopback(endpoint)


def _missing(said: Said) -> tuple[Missing, ...]:
    metrics = said.metrics or ""
    if not re.search(r"^vllm[:_]", metrics, re.MULTILINE):
        return (_NO_METRICS,)
    version = version_of(said.version)
    knows_lives = version is None or version >= _FIRST_WITH_BLOCK_LIVES
    return (_NO_BLOCK_LIVES,) if knows_lives and "kv_block_lifetime_seconds" not in metrics else ()


def _name_of(model: object) -> str | None:
    return text_in(fields_of(model), "id")


def _whole(labels: Fields, name: str) -> int | None:
    said = labels.get(name)
    return int(said) if isinstance(said, str) and _WHOLE.fullmatch(said) and int(said) else None

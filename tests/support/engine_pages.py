"""What servers of several versions answer, by path: the fields that are read, with those around them."""

from __future__ import annotations

from collections.abc import Mapping

from probes.engines.fields import version_of
from tests.support.fake_server import Page, page, text_page

_ARGUMENTS = {
    "model_path": "meta-llama/Llama-3.1-8B-Instruct",
    "served_model_name": "llama",
    "page_size": 16,
    "dp_size": 1,
    "nnodes": 1,
    "enable_metrics": True,
    "enable_metrics_for_all_schedulers": False,
    "enable_cache_report": True,
    "disable_radix_cache": False,
    "max_total_num_tokens": 400_000,
    "internal_states": [{"memory_usage": {"token_capacity": 400_000}, "last_gen_throughput": 0.0}],
}
_EVENTS = {
    "publisher": "zmq",
    "endpoint_host": "*",
    "endpoint_port_base": 5557,
    "topic": "",
    "block_size": 16,
    "dp_size": 1,
}


def sglang_info(version: str, events: Mapping[str, object] | None = None, **changed: object) -> dict[str, object]:
    """Return what `/server_info` answers: events on, as a version describes them, unless something is changed."""
    described = dict(_EVENTS)
    numbers = version_of(version) or (9, 0, 0)
    if numbers >= (0, 5, 19):
        described |= {"load_endpoint_port_base": None, "load_topic": None}
    if numbers >= (0, 5, 22):
        described["replay_endpoint_port_base"] = 5600
    info: dict[str, object] = {**_ARGUMENTS, "version": version}
    if numbers >= (0, 5, 13):
        info["kv_events"] = {**described, **(events or {})}
    return {**info, **changed}


def sglang(version: str, **changed: object) -> dict[str, Page]:
    """Return the pages of an SGLang server."""
    return {
        "/server_info": page(sglang_info(version, **changed)),
        "/metrics": text_page("sglang:num_running_reqs 0\n"),
    }


_METRICS = """\
vllm:cache_config_info{{block_size="16",enable_prefix_caching="{caching}",num_gpu_blocks="8192",engine="{engine}"}} 1
vllm:kv_block_lifetime_seconds_count{{engine="{engine}"}} 0.0
"""


def vllm_metrics(engines: int = 1, caching: bool = True) -> str:
    """Return the lines of a page of metrics that are read for what they say of the cache."""
    return "".join(_METRICS.format(engine=engine, caching=caching) for engine in range(engines))


def vllm(version: str, sources: object = None, metrics: str | None = None) -> dict[str, Page]:
    """Return the pages of a vLLM server; without sources it has no page of those."""
    pages = {
        "/version": page({"version": version}),
        "/metrics": text_page(vllm_metrics() if metrics is None else metrics),
        "/v1/models": page({"object": "list", "data": [{"id": "llama", "object": "model", "max_model_len": 8192}]}),
    }
    return pages if sources is None else {**pages, "/kv_event_sources": page(sources)}


def vllm_source(endpoint: str = "tcp://*:5557", **changed: object) -> dict[str, object]:
    """Return what one rank says that it publishes."""
    source: dict[str, object] = {
        "enable_kv_cache_events": True,
        "publisher": "zmq",
        "endpoint": endpoint,
        "replay_endpoint": "tcp://*:5558",
        "topic": "kv-events",
    }
    return {**source, **changed}

"""A vLLM server by itself, for users of the library: KV events and metrics of all its ranks."""

from __future__ import annotations

from probes.fleet.server_adapter import ServerAdapter


class VllmAdapter(ServerAdapter):
    """See ServerAdapter."""

    engine = "vllm"

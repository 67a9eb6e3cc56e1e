"""A rank of a vLLM server: its KV events and its metrics."""

from __future__ import annotations

from probes.engines.engine_adapter import EngineAdapter


class VllmAdapter(EngineAdapter):
    """See EngineAdapter."""

    engine = "vllm"

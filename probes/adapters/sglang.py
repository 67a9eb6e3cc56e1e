"""A rank of a SGLang server: its KV events and its metrics."""

from __future__ import annotations

from probes.engines.engine_adapter import EngineAdapter


class SGLangAdapter(EngineAdapter):
    """See EngineAdapter."""

    engine = "sglang"

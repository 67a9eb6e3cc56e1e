"""A SGLang server: its KV events and its metrics."""

from __future__ import annotations

from probes.fleet.server_adapter import ServerAdapter


class SGLangAdapter(ServerAdapter):
    """See ServerAdapter."""

    engine = "sglang"

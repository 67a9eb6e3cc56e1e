"""Stands in for what vLLM imports and its cache manager never runs: import this first in a peer's interpreter."""

from __future__ import annotations

from cache_core.bench.sglang import stand_ins

NEEDED = frozenset({"pydantic", "triton", "vllm"})
"""What SGLang does without, and vLLM does not; of triton, vLLM and torch find out whether it is there."""

MORE = frozenset(
    {"cpuinfo", "cv2", "diskcache", "ijson", "lmformatenforcer", "mcp", "msgpack", "numba", "pydantic_settings",
     "ray", "urllib3"}
)  # fmt: skip

stand_ins.install((stand_ins.NAMES | MORE) - NEEDED, first=True)

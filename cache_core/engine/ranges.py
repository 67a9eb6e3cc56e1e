"""Named ranges around the phases of a step, for profilers that show them. Imports torch only when they are wanted.

    radixtop::step [ radixtop::match )[ radixtop::prefill )[ radixtop::settle )

A forward pass is `prefill`, `decode`, or both: what decodes and what prefills are computed together.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext

Ranges = Callable[[str], AbstractContextManager[object]]
"""Opens a range of a name."""

STEP, MATCH, SETTLE = "radixtop::step", "radixtop::match", "radixtop::settle"
PREFILL, DECODE, BOTH = "radixtop::prefill", "radixtop::decode", "radixtop::prefill+decode"

_NOTHING = nullcontext()


def no_ranges(name: str) -> AbstractContextManager[object]:
    """Open no range: what an engine does unless it is told otherwise."""
    return _NOTHING


def forward_name(prefill_tokens: int, decode_tokens: int) -> str:
    """Return what a forward pass over so many tokens is called."""
    if not decode_tokens:
        return PREFILL
    return BOTH if prefill_tokens else DECODE


def torch_ranges(*, recorded: bool = False, nvtx: bool = True) -> Ranges:
    """Return what opens ranges: NVTX ones for nsys, and `recorded` ones for torch's own profiler.

    Where there is no CUDA, NVTX has no one to speak to: torch's profiler is told in its place.
    """
    import torch

    if nvtx and torch.cuda.is_available():
        return _both if recorded else torch.cuda.nvtx.range
    return torch.profiler.record_function


def _both(name: str) -> AbstractContextManager[object]:
    import torch

    ranges = ExitStack()
    ranges.enter_context(torch.cuda.nvtx.range(name))
    ranges.enter_context(torch.profiler.record_function(name))
    return ranges

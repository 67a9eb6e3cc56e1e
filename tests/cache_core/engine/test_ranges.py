"""The ranges around the phases of a step: in their order, and none unless they are asked for."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

import pytest

from cache_core import CacheConfig, PrefixCache
from cache_core.engine import Engine, EngineConfig, GenerateRequest
from cache_core.engine.ranges import (
    BOTH,
    DECODE,
    MATCH,
    PREFILL,
    SETTLE,
    STEP,
    forward_name,
    no_ranges,
    torch_ranges,
)

pytestmark = pytest.mark.needs("torch")


class Told:
    """Ranges that write down how deep each one was opened."""

    def __init__(self) -> None:
        self.opened: list[tuple[int, str]] = []
        self._depth = 0

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        self.opened.append((self._depth, name))
        self._depth += 1
        yield
        self._depth -= 1


def test_a_step_opens_a_range_for_each_phase() -> None:
    told = Told()
    cache = PrefixCache(CacheConfig(window=16, components=("full", "swa"), full_slots=200, swa_slots=100))
    engine = Engine(cache, EngineConfig(model="tiny", device="cpu"), ranges=told)
    engine.submit(GenerateRequest(array("i", range(8)), output_tokens=2))
    engine.step()
    engine.submit(GenerateRequest(array("i", range(20, 28)), output_tokens=3))
    engine.step()
    engine.step()
    engine.close()
    steps = [((0, STEP), (1, MATCH), (1, forward), (1, SETTLE)) for forward in (PREFILL, BOTH, DECODE)]
    assert told.opened == [*chain(*steps)]


@pytest.mark.parametrize(("prefill", "decode", "name"), [(9, 0, PREFILL), (0, 4, DECODE), (9, 4, BOTH)])
def test_a_forward_pass_is_called_by_what_it_computes(prefill: int, decode: int, name: str) -> None:
    assert forward_name(prefill, decode) == name


def test_no_range_is_made_where_none_is_asked_for() -> None:
    assert no_ranges(STEP) is no_ranges(MATCH)


def test_nsys_is_told_where_there_is_cuda_and_torch_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert torch_ranges() is torch.cuda.nvtx.range
    assert torch_ranges(recorded=True, nvtx=False) is torch.profiler.record_function
    assert torch_ranges(recorded=True) not in (torch.cuda.nvtx.range, torch.profiler.record_function)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert torch_ranges() is torch.profiler.record_function

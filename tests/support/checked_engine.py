"""An engine under the strictest eyes: free slots hold NaN, slot numbers are shuffled, every logit is compared.

Import it inside a test or a fixture only: it needs torch.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from cache_core import PrefixCache, check_integrity
from cache_core.engine import EngineConfig, Finished, GenerateRequest
from cache_core.engine.batch import Batch
from cache_core.engine.dense import dense_logits
from cache_core.engine.engine import Engine
from cache_core.engine.host_traffic import HostTraffic
from cache_core.engine.model import Model
from cache_core.engine.shape import LayerKind
from cache_core.engine.transfers import Copier, Lane
from cache_core.engine.work import Choice, Work
from cache_core.pool import SlotPool


@dataclass(frozen=True, slots=True)
class Computed:
    """The logits of positions [start, start + rows) of a request, as computed through the cache."""

    request_id: int
    start: int
    logits: Tensor


class WatchedModel(Model):
    """A model that remembers the last hidden states it returned."""

    def forward(self, batch: Batch) -> Tensor:
        self.last_hidden = super().forward(batch)
        return self.last_hidden


class CheckedEngine(Engine):
    """Before each forward pass: NaN in every free slot of device and host. After each step: integrity, and new random
    free lists.
    """

    def __init__(self, cache: PrefixCache, config: EngineConfig, seed: int = 0) -> None:
        super().__init__(cache, config)
        model = self.model
        self.model = WatchedModel(model.shape, model.weights, self.kinds, model.pools, self.windows)
        self.computed: list[Computed] = []
        self.steps: list[list[Work]] = []
        self.sequences: dict[int, array[int]] = {}
        self._dice = torch.Generator().manual_seed(seed)
        self._shuffle()

    def step(self) -> list[Finished]:
        """One step of the engine between a check and a shuffle."""
        ended = super().step()
        check_integrity(self.cache)
        self._shuffle()
        return ended

    def drain(self, requests: Sequence[GenerateRequest]) -> list[Finished]:
        """Submit all, step until nothing is left, return the ends in the order of the requests."""
        ids = [self.submit(request) for request in requests]
        ends: dict[int, Finished] = {}
        while self.has_work:
            ends |= {end.request_id: end for end in self.step()}
        return [ends[request_id] for request_id in ids]

    @property
    def computed_tokens(self) -> int:
        """Positions whose logits were computed."""
        return sum(len(part.logits) for part in self.computed)

    @property
    def copier(self) -> Copier:
        """What copies between the device and the host."""
        assert isinstance(self.traffic, HostTraffic)
        return self.traffic.copier

    def use_lane(self, lane: Lane) -> None:
        """Have `lane` carry out the copies."""
        assert isinstance(self.traffic, HostTraffic)
        self.traffic.lane = lane

    @property
    def reused_states(self) -> list[Work]:
        """The works that began on a state of the tree."""
        works = [work for works in self.steps for work in works]
        return [work for work in works if work.states and work.states.read_slot not in (0, work.states.write_slot)]

    def worst_difference(self) -> float:
        """Return the largest difference between a computed logit and the dense one; NaN if one of them is."""
        worst = torch.zeros((), device=self.model.weights.embedding.device)
        dense_by_tokens: dict[bytes, Tensor] = {}
        for request_id, tokens in self.sequences.items():
            parts = [part for part in self.computed if part.request_id == request_id]
            known = tokens[: max(part.start + len(part.logits) for part in parts)]
            if (tokens_key := known.tobytes()) not in dense_by_tokens:
                dense_by_tokens[tokens_key] = self._dense(known)
            for part in parts:
                expected = dense_by_tokens[tokens_key][part.start : part.start + len(part.logits)]
                worst = torch.maximum(worst, (part.logits - expected).abs().max())
        return float(worst)

    def _dense(self, tokens: array[int]) -> Tensor:
        return dense_logits(self.model.shape, self.model.weights, self.kinds, self.cache.config.window, tokens)

    def _forward(self, works: list[Work]) -> list[Choice]:
        self._poison()
        self.steps.append(works)
        choices = super()._forward(works)
        first = 0
        for work in works:
            last = first + work.end - work.start
            self.sequences[work.sequence.request_id] = work.sequence.tokens
            logits = self.model.logits(self.model.last_hidden[first:last])
            self.computed.append(Computed(work.sequence.request_id, work.start, logits))
            first = last
        return choices

    def _free_lists(self) -> dict[LayerKind, SlotPool]:
        return {LayerKind(component.name): component.pool for component in self.cache.components}

    def _host_free_lists(self) -> dict[LayerKind, SlotPool]:
        if self.cache.host is None:
            return {}
        return {LayerKind(copies.component.name): copies.pool for copies in self.cache.host.copies}

    def _shuffle(self) -> None:
        for pages in (*self._free_lists().values(), *self._host_free_lists().values()):
            if pages.bases:
                order = torch.randperm(len(pages.bases), generator=self._dice)
                pages.bases[:] = array("i", _indices(pages.bases)[order].tolist())

    def _poison(self) -> None:
        for kind, pages in self._free_lists().items():
            memory = self.model.pools[kind].layers
            memory.index_fill_(1, _free_of(pages).to(memory.device), float("nan"))
            # The rest of the padding page is nobody's either; slot 0 itself is the sink that padding reads.
            memory[:, 1 : pages.page] = float("nan")
        for kind, pages in self._host_free_lists().items():
            self.copier.host_pools[kind].rows.index_fill_(0, _free_of(pages), float("nan"))


def _free_of(pages: SlotPool) -> Tensor:
    """Return the free slots of a pool."""
    return _indices(pages.expand(pages.bases)).long()


def _indices(numbers: array[int]) -> Tensor:
    """Return numbers as a tensor on the same memory."""
    return torch.frombuffer(numbers, dtype=torch.int32) if numbers else torch.empty(0, dtype=torch.int32)

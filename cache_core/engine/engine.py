"""The engine: serves requests with a real model, every key and value of which lives in the cache's slots.

What a step does, and in which order, says `cache_core/engine/loop.py`; here is its forward pass.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from cache_core.cache import PrefixCache
from cache_core.config import CacheConfig
from cache_core.engine.batch import BatchPlace, build_batch
from cache_core.engine.config import EngineConfig
from cache_core.engine.device import prepare
from cache_core.engine.device_pool import build_pools
from cache_core.engine.generation import GenerateRequest
from cache_core.engine.host_traffic import build_traffic
from cache_core.engine.loop import EngineLoop
from cache_core.engine.model import Model
from cache_core.engine.ranges import Ranges, no_ranges
from cache_core.engine.sampling import Draw, choose
from cache_core.engine.sequence import Sequence
from cache_core.engine.shape import LayerKind
from cache_core.engine.weights import random_weights
from cache_core.engine.work import Choice, Work
from cache_core.errors import KeyRangeError


class Engine(EngineLoop):
    """A model, its pools and a queue, over one cache. Lives on the thread that owns the cache.

    `model`, `kinds` and `windows` are open for checks that compare logits, `traffic` for those that break it.
    """

    def __init__(
        self,
        cache: PrefixCache,
        config: EngineConfig,
        *,
        clock: Callable[[], int] = time.perf_counter_ns,
        ranges: Ranges = no_ranges,
    ) -> None:
        device, dtype = prepare(config)
        shape, settings = config.shape, cache.config
        self.kinds = shape.kinds(settings.components)
        windows: dict[LayerKind, int | None] = {
            kind: settings.window if kind is LayerKind.WINDOW else None
            for kind in dict.fromkeys(self.kinds)
            if kind is not LayerKind.RECURRENT
        }
        pools = build_pools(self.kinds, _pool_rows(settings), shape, device, dtype)
        weights = random_weights(shape, self.kinds, config.seed, device, dtype)
        self.model = Model(shape, weights, self.kinds, pools, windows)
        self._place = BatchPlace(device, dtype, tuple(windows))
        super().__init__(cache, config, windows, traffic=build_traffic(cache, pools), clock=clock, ranges=ranges)

    @property
    def vocabulary(self) -> int:
        """Tokens are 0..vocabulary - 1."""
        return self.config.shape.vocabulary

    def _forward(self, works: list[Work]) -> list[Choice]:
        """See EngineLoop."""
        batch = build_batch(works, self._place)
        hidden = self.model.forward(batch)
        speakers = [work.sequence for work in works if work.speaks]
        if not speakers:
            return []
        logits = self.model.logits(hidden[batch.speaking])
        return choose(logits, [self._draw(sequence) for sequence in speakers])

    def _draw(self, sequence: Sequence) -> Draw:
        return Draw(sequence.generate.temperature, self.config.seed, sequence.request_id, sequence.output_tokens)

    def _check(self, request: GenerateRequest) -> None:
        if request.tokens and (min(request.tokens) < 0 or max(request.tokens) >= self.vocabulary):
            raise KeyRangeError(f"tokens must be 0..{self.vocabulary - 1}, the vocabulary of {self.config.model}")
        super()._check(request)


def _pool_rows(settings: CacheConfig) -> dict[LayerKind, int]:
    """Return the rows of each pool: the page of the padding sink, then every slot."""
    page = settings.page_size
    return {
        LayerKind.FULL: settings.full_slots + page,
        LayerKind.WINDOW: (settings.swa_slots or 0) + page,
        LayerKind.RECURRENT: (settings.mamba_slots or 0) + 1,
    }

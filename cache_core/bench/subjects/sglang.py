"""SGLang's unified radix cache with its python or its rust tree core, called as its scheduler calls it."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

from cache_core.bench.sglang.modules import load
from cache_core.bench.sglang.pools import Built, Shape, build
from cache_core.bench.sglang.replay import Replay
from cache_core.bench.sglang.requests import scheduler
from cache_core.bench.subject import Arguments, Subject
from cache_core.bench.workload import Setup


class SGLangPython(Subject):
    """The python tree core."""

    core = "python"
    built: Built

    def __init__(self) -> None:
        self.sglang = load()
        self.fresh(Setup(slots=64))

    def fresh(self, setup: Setup) -> None:
        sglang = self.sglang
        shape = Shape(setup.page_size, setup.window, setup.slots, setup.slots)
        self.built = build(sglang, shape, self.core)
        self.scheduler = scheduler(sglang, self.built)
        cache = self.built.cache
        self.match = cache.match_prefix
        self.lock = cache.inc_lock_ref
        self.allocate = self._allocate_pages if setup.page_size > 1 else self.built.allocator.alloc
        self.insert = cache.insert
        self.unlock = cache.dec_lock_ref
        self.evict = cache.evict
        self.gather = self._gather if sglang.checkpoints else None

    def _allocate_pages(self, tokens: int) -> Any:
        """Take whole pages as an extend of nothing: the pair of allocators knows no other way."""
        torch = self.sglang.torch
        starts, ends = torch.tensor([0]), torch.tensor([tokens])
        return self.built.allocator.alloc_extend(starts, starts, ends, ends, torch.tensor([-1]), tokens)

    def _gather(self, found: Any) -> Any:
        return self.built.cache.path_device_indices(found.last_device_node)[: found.device_prefix_len]

    def build_key(self, tokens: list[int]) -> Any:
        return self.sglang.radix_key(array("q", tokens), None)

    def packed_key(self, tokens: bytes) -> Any:
        return self.sglang.radix_key(array("q", memoryview(tokens).cast("i")), None)

    def same_key(self, key: Any) -> Any:
        return self.sglang.radix_key(key.token_ids, None)

    def match_argument(self, key: Any) -> Any:
        return self.sglang.base.MatchPrefixParams(key=key)

    def hit_tokens(self, found: Any) -> int:
        return self.scheduler.hit_tokens(found)

    def node(self, found: Any) -> Any:
        return found.last_device_node

    def insert_arguments(self, key: Any, found: Any, fresh: Any) -> Arguments:
        hit = self.hit_tokens(found)
        owned = self._gather(found) if self.sglang.checkpoints else found.device_indices
        slots = self.sglang.torch.cat([owned, fresh]) if hit else fresh
        whole = key if len(key) == len(slots) else self.sglang.radix_key(key.token_ids[: len(slots)], None)
        return (self.sglang.base.InsertParams(key=whole, value=slots, prev_prefix_len=hit),)

    def unlock_arguments(self, node: Any, receipt: Any) -> Arguments:
        return node, receipt.to_dec_params()

    def evict_arguments(self, full_tokens: int, swa_tokens: int) -> Arguments:
        return (self.sglang.base.EvictParams(num_tokens=full_tokens, swa_num_tokens=swa_tokens),)

    def serve(self, prompt: Any, reply: list[int]) -> None:
        life = self.scheduler
        life.start(prompt)
        life.extend(prompt, len(prompt.origin_input_ids))
        life.write_back(prompt)
        if reply:
            life.decode(prompt, reply)
            life.slide(prompt)
        life.finish(prompt)

    def prompt(self, tokens: bytes) -> Any:
        return self.scheduler.request(array("q", memoryview(tokens).cast("i")))

    def nodes(self) -> int | None:
        return self.built.nodes()

    def replay(self, log: Mapping[str, Any]) -> dict[str, Any]:
        return Replay(self.sglang, log, self.core).run()

    def describe(self) -> dict[str, str]:
        return {"cache": "SGLang unified", "core": self.core, "version": self.sglang.version}


class SGLangRust(SGLangPython):
    """The rust tree core."""

    core = "rust"

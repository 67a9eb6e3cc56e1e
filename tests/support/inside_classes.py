"""Runs in a peer's interpreter: SGLang's other caches, and its admission of requests, with our probes in them.

Of each class: the tree that it holds, the one that its ring tells of, and what the ring has to say. States of Mamba
layers need no model here: their pool is made of a shape, their chunk is a number.
"""

from __future__ import annotations

import gc
import os
import random
from array import array
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from cache_core.bench.sglang.pools import Built, Shape, build, build_as
from cache_core.bench.sglang.requests import OutOfRoomError, scheduler
from probes.adapters.shm import ShmAdapter
from probes.inside import attaching
from tests.support.inside_tree import decoded, mirror_shape, mirrored, printed_shape

CHUNK = 64
LEGACY = (("RadixCache", None), ("SWARadixCache", 8), ("MambaRadixCache", None))
MODULES = {"RadixCache": "radix_cache", "SWARadixCache": "swa_radix_cache", "MambaRadixCache": "mamba_radix_cache"}


def classes_of(sglang: Any) -> dict[str, Any]:
    """Serve requests on each class that this version has; our probes are loaded."""
    _have_chunks()
    found = {"PrefillAdder": admitted(sglang)}
    for name, window in LEGACY:
        try:
            module = import_module(f"sglang.srt.mem_cache.{MODULES[name]}")
        except ImportError:
            continue  # 0.5.23 has the unified cache in its place
        cls = getattr(module, name)
        made = mamba(sglang, cls) if "Mamba" in name else build_as(sglang, Shape(4, window, 400, 200), cls)
        found[name] = told(sglang, made)
    for core in ("python", "rust"):
        with sglang.envs.SGLANG_UNIFIED_RADIX_TREE_CORE_BACKEND.override(core):
            made = mamba(sglang, sglang.unified_cache)
        found[f"mamba {core}"] = told(sglang, made)
    return found


def _have_chunks() -> None:
    """Say how long the chunks of a state are, which SGLang asks of its kernels and of a model."""
    asked: Any = import_module("sglang.srt.arg_groups.overrides")
    asked.mamba_cache_chunk_size = lambda *told, **named: CHUNK


def mamba(sglang: Any, cls: Any) -> Built:
    """Return a cache of full attention and states."""
    shapes: Any = import_module("sglang.srt.configs.mamba_utils")
    pools: Any = import_module("sglang.srt.mem_cache.memory_pool")
    sizes = {"intermediate_size": 8, "n_groups": 1, "num_heads": 2, "head_dim": 4, "state_size": 4, "conv_kernel": 4}
    shape = shapes.Mamba2StateShape.create(tp_world_size=1, **sizes)
    rows = pools.HybridReqToTokenPool(
        size=32, mamba_size=64, mamba_spec_state_size=32, max_context_len=512, device="cpu",
        enable_memory_saver=False, cache_params=shapes.Mamba2CacheParams(layers=[0], shape=shape),
        mamba_layer_ids=[0], enable_mamba_extra_buffer=False,
    )  # fmt: skip
    slots = sglang.token_allocator(size=800, dtype=sglang.torch.bfloat16, device="cpu", kvcache=None, need_sort=False)
    components = (sglang.components.FULL, sglang.components.MAMBA)
    cache = cls(
        sglang.init_params(
            disable=False, req_to_token_pool=rows, token_to_kv_pool_allocator=slots, page_size=1,
            tree_components=components,
        )
    )  # fmt: skip
    return Built(Shape(1, None, 800, 800, context_tokens=512), cache, slots, rows)


def told(sglang: Any, built: Built) -> dict[str, Any]:
    """Serve requests on a cache and return what it holds and what its ring tells."""
    _serve(scheduler(sglang, built))
    seat = attaching.seat_of(built.cache)
    assert seat is not None
    seat.publish()
    records = _records(seat)
    mirror, named, wrong = mirrored(records)
    late = mirrored(map(decoded, seat.snapshot_records()))[0]
    pools = [[*record] for record in records if type(record).__name__ == "Pool"]
    answer = {
        "own": own_shape(built.cache), "told": mirror_shape(mirror), "late": mirror_shape(late), "wrong": wrong,
        "named": named, "faults": seat.faults, "pools": pools, "config": dict(seat.recorder.config),
    }  # fmt: skip
    seat.close("done")
    gc.collect()
    return answer


def own_shape(cache: Any) -> Any:
    """Return the shape of a tree: the older classes are walked, the unified one prints itself."""
    if hasattr(cache, "tree_core"):
        return printed_shape(cache)

    def shape(node: Any) -> Any:
        return [len(node.key) if node is not cache.root_node else 0, sorted(map(shape, node.children.values()))]

    return shape(cache.root_node)


def admitted(sglang: Any) -> dict[str, Any]:
    """Have the scheduler's part admit a request, and return what was told of it."""
    adding: Any = import_module("sglang.srt.managers.schedule_policy")  # a scheduler has it before its cache
    built = build(sglang, Shape(4, None, 40_000, 400), "python")
    request = scheduler(sglang, built).request(array("q", range(50)))
    request.sampling_params.max_new_tokens = 8
    request.init_next_round_input(built.cache)
    batch = SimpleNamespace(reqs=[], is_empty=lambda: True, batch_is_full=False)
    adder = adding.PrefillAdder(
        page_size=4, tree_cache=built.cache, token_to_kv_pool_allocator=built.allocator, running_batch=batch,
        new_token_ratio=0.5, rem_input_tokens=1_000, rem_chunk_tokens=None,
    )  # fmt: skip
    adder.add_one_req(request, False, None)
    seat = attaching.seat_of(built.cache)
    assert seat is not None
    seat.publish()
    told = [record.prompt_tokens for record in _records(seat) if type(record).__name__ == "RequestAdmitted"]
    seat.close("done")
    return {"chosen": len(adder.can_run_list), "told": told, "faults": seat.faults}


def _records(seat: Any) -> list[Any]:
    adapter = ShmAdapter(os.getpid(), seat.recorder.options.rank)
    records = [record for _, record in adapter.poll().records]
    adapter.close()
    return records


def _serve(life: Any) -> None:
    dice = random.Random(1)
    shared = [dice.randrange(9) for _ in range(40)]
    for _ in range(30):
        own = [dice.randrange(99) for _ in range(dice.randrange(4, 40))]
        tokens = array("q", shared[: dice.randrange(8, 40)] + own)
        request = life.request(tokens, dice.choice((None, None, "a")))
        life.start(request)
        try:
            life.extend(request, len(tokens))
        except OutOfRoomError:
            life.abandon(request)
            continue
        life.write_back(request)
        for token in range(6):
            life.slide(request)
            life.decode(request, [token])
        life.finish(request)

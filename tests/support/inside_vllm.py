"""Runs in a peer's interpreter: vLLM's own cache manager under random requests, without our probes and with them.

Prints one JSON document, as `tests.support.inside_sglang` does. What vLLM imports and the manager never uses, such as
transformers, is stood in for by empty modules.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import random
import sys
from inspect import signature
from typing import Any

BLOCKS, BLOCK_TOKENS = 40, 4
import tests.support.vllm_stand_ins  # noqa: E402, F401, I001 - before the first import of vLLM

from vllm.sampling_params import SamplingParams  # noqa: E402
from vllm.v1.core import kv_cache_utils as utils  # noqa: E402
from vllm.v1.core.block_pool import BlockPool  # noqa: E402
from vllm.v1.core.kv_cache_manager import KVCacheManager  # noqa: E402
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec  # noqa: E402
from vllm.v1.request import Request, RequestStatus  # noqa: E402

from probes.adapters.shm import ShmAdapter  # noqa: E402
from probes.inside import attaching, plugin  # noqa: E402
from tests.support.inside_tree import mirrored  # noqa: E402


def main() -> None:
    """Run the same requests plainly and probed."""
    import torch
    import vllm

    utils.init_none_hash(_hash)
    spec = FullAttentionSpec(block_size=BLOCK_TOKENS, num_kv_heads=1, head_size=1, dtype=torch.float32)
    config = KVCacheConfig(BLOCKS, [], [KVCacheGroupSpec(["layer"], spec)])
    returned: list[Any] = []
    _spy(KVCacheManager, "get_computed_blocks", returned, lambda result: result[1])
    _spy(BlockPool, "_maybe_evict_cached_block", returned, bool)
    runs = {}
    for kind in ("plain", "probed"):
        gc.collect()
        returned.clear()
        wanted = dict.fromkeys(("hash_block_size", "scheduler_block_size"), BLOCK_TOKENS)
        known = signature(KVCacheManager.__init__).parameters
        sizes = {name: size for name, size in wanted.items() if name in known}
        manager = KVCacheManager(config, max_model_len=1024, log_stats=True, **sizes)
        outcome = _serve(manager)
        seat = attaching.seat_of(manager)
        held = [block.block_hash for block in manager.block_pool.blocks if block.block_hash is not None]
        runs[kind] = {
            "held": [len(set(held)), len(held)],
            "returned": [*returned],
            "outcome": outcome,
            "ring": seat and _ring(seat),
        }
        os.environ[plugin.SWITCH] = "1"
        plugin.load()
    json.dump({"version": vllm.__version__, **runs}, sys.stdout)


def _hash(value: object) -> bytes:
    from hashlib import sha256

    return sha256(repr(value).encode()).digest()


def _spy(owner: type, name: str, returned: list[Any], read: Any) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def spied(self: Any, *arguments: Any, **named: Any) -> Any:
        result = original(self, *arguments, **named)
        returned.append([name, read(result)])
        return result

    setattr(owner, name, spied)


def _serve(manager: Any) -> list[Any]:
    """Serve 60 requests in the order of a seed, some preempted, and return what each of them got."""
    dice = random.Random(5)
    hasher = utils.get_request_block_hasher(BLOCK_TOKENS, _hash)
    systems = [[dice.randrange(1000) for _ in range(20)] for _ in range(3)]
    got: list[Any] = []
    ends = {"eos_token_id": None} if "eos_token_id" in signature(Request.__init__).parameters else {}
    for number in range(60):
        prompt = dice.choice(systems) + [dice.randrange(1000) for _ in range(dice.randrange(4, 30))]
        sampling = SamplingParams(max_tokens=8)
        request = Request(f"r{number}", prompt, sampling, None, block_hasher=hasher, **ends)
        for _ in range(dice.choice((1, 2))):  # it is looked at anew while it waits
            blocks, hit, *_ = manager.get_computed_blocks(request)
        taken = manager.allocate_slots(request, len(prompt) - hit, hit, blocks)
        got.append([hit, None if taken is None else taken.get_block_ids()])
        if taken is None:
            continue
        request.num_computed_tokens = len(prompt)
        for token in range(4):
            request.append_output_token_ids(token)
            manager.allocate_slots(request, 1)
            request.num_computed_tokens += 1
        if dice.random() < 0.8:
            request.status = RequestStatus.FINISHED_STOPPED
        manager.free(request)
        if number == 40:
            got.append(manager.reset_prefix_cache())
    return got


def _ring(seat: Any) -> dict[str, Any]:
    seat.publish()
    adapter = ShmAdapter(os.getpid(), seat.recorder.options.rank)
    told = [record for _, record in adapter.poll().records]
    records = [[type(record).__name__, record._asdict()] for record in told]
    mirror, named, wrong = mirrored(told)
    tree = seat.keeper.structure.tree
    counts = [
        named,
        wrong,
        sum(node.length for node in mirror.nodes.values() if node.live),
        len(tree),
        tree.device_blocks,
    ]
    state = adapter.state()
    adapter.close()
    seat.close("done")
    return {"records": records, "message": state.message, "config": dict(state.config), "counts": counts}


if __name__ == "__main__":
    main()

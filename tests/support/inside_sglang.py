"""Runs in a peer's interpreter: SGLang's own cache under operation logs, without our probes, with them, with bugs.

Reads an order on stdin and prints one JSON document: for each run what each call on the class returned, told by a
wrapper of its own beneath ours, the outcome of each operation, and what our ring says.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
from typing import Any

from cache_core.bench.sglang.modules import load
from cache_core.bench.sglang.replay import Replay
from probes.adapters.shm import ShmAdapter
from probes.inside import attaching as inside
from probes.inside import plugin
from probes.inside.sglang_calls import Calls
from tests.support.inside_classes import classes_of
from tests.support.inside_tree import decoded, mirror_shape, mirrored, printed_shape

TRUTH = {
    "match_prefix": (
        "device_prefix_len", "host_hit_length", "full_kv_hit_length",
        "swa_branching_seqlen", "mamba_branching_seqlen",
    ),
    "insert": ("prefix_len", "swa_branch_inserted"),
    "_evict": ("num_tokens_evicted", "swa_num_tokens_evicted", "mamba_num_evicted"),
}  # fmt: skip
"""What is read of results, by method."""

TELLERS = ("matched", "before_evict", "locked", "written_back", "inserted")


class Spy:
    """Notes what methods of a class return; lies beneath our probes."""

    def __init__(self, owner: type) -> None:
        self.returned: list[Any] = []
        for name in TRUTH:
            setattr(owner, name, self._spied(name, getattr(owner, name)))

    def _spied(self, name: str, original: Any) -> Any:
        def spied(cache: Any, params: Any, *rest: Any, **named: Any) -> Any:
            result = original(cache, params, *rest, **named)
            values = [getattr(result, field, None) for field in TRUTH[name]]
            if name == "match_prefix" and values[0] is None:
                values[0] = len(result.device_indices)
            self.returned.append([name, [int(value) if value is not None else None for value in values]])
            return result

        return spied


def main() -> None:
    """Run each log on each core: plainly, probed, and probed by tellers that raise."""
    logs = json.load(sys.stdin)
    sglang = load()
    gc.freeze()  # what was imported stays: looked through before each of many runs, it takes as long as all of them
    spy = Spy(sglang.unified_cache)
    runs = {"plain": [run(sglang, spy, log, core) for log in logs for core in ("python", "rust")]}
    os.environ[plugin.SWITCH] = "1"
    plugin.load()
    plugin.load()
    runs["probed"] = [run(sglang, spy, log, core) for log in logs for core in ("python", "rust")]
    spy.returned = []  # those of the last run are its own
    classes = classes_of(sglang)
    for teller in TELLERS:
        setattr(Calls, teller, _fail)
    logging.disable(logging.NOTSET)
    runs["failing"] = [run(sglang, spy, log, core) for log in logs[:1] for core in ("python", "rust")]
    print(json.dumps({"version": sglang.version, "classes": classes, **runs}))  # `dump` is the slow encoder


def run(sglang: Any, spy: Spy, log: Any, core: str) -> dict[str, Any]:
    """Replay a log on a new cache and return all that was seen of it."""
    spy.returned = []
    gc.collect()  # a process has rings for so many caches that live
    replay = Replay(sglang, log, core)
    seat = inside.seat_of(replay.built.cache)
    outcome = replay.run()
    ring = seat and _ring(seat, replay.built.cache)
    return {"core": core, "returned": spy.returned, "outcome": outcome, "ring": ring}


def _ring(seat: Any, cache: Any) -> dict[str, Any]:
    """Return what a reader of the ring of a seat finds, what its tree is and really is, and end the ring."""
    seat.calls.requests.let_go()
    seat.publish()
    adapter = ShmAdapter(os.getpid(), seat.recorder.options.rank)
    told = [record for _, record in adapter.poll().records]
    records = [[type(record).__name__, record._asdict()] for record in told]
    mirror, named, wrong = mirrored(told)
    late = mirrored(map(decoded, seat.snapshot_records()))[0]
    trees = {"told": mirror_shape(mirror), "late": mirror_shape(late), "own": printed_shape(cache)}
    state = adapter.state()
    adapter.close()
    seat.close("done")
    return {
        "trees": trees,
        "named": named,
        "wrong": wrong,
        "records": records,
        "message": state.message,
        "lost": state.dropped_records,
        "config": dict(state.config),
    }


def _fail(self: Any, call: Any) -> None:
    """Stand for a teller that has a bug, of the kind that is no Exception."""
    raise GeneratorExit("a bug of ours")


if __name__ == "__main__":
    main()

"""Runs in an interpreter of other simulators and nothing of ours: LRU on one trace, in each one that is there.

    PYTHON simulate_peer.py FOLDER CAPACITY RUNS

FOLDER holds `requests.jsonl`, and in `blocks.txt` the blocks of all requests, a number a line.
"""

import contextlib
import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path


def kvcache_simulator(folder: Path, capacity: int, runs: int) -> dict[str, object]:
    """Return seconds of kvcache-simulator, by backend, and the tokens that it hits in the last half of the trace."""
    read = import_module("kvcache_sim.trace").parse_trace_file
    plan = import_module("kvcache_sim.plan").build_execution_plan
    run = import_module("kvcache_sim.policies").simulate_policy
    sweep = import_module("kvcache_sim.cpp_backend").run_cpp_sweep
    trace = read(folder / "requests.jsonl")
    half = trace.request_count // 2

    def cpp() -> object:
        return sweep(trace, capacities=[capacity], policies=["lru"], warmup_requests=half)

    told: dict[str, object] = {"hit_tokens": run(plan(trace), "lru", capacity).hitTokens}
    told["python_s"] = least(runs, lambda: run(plan(trace), "lru", capacity))
    with contextlib.suppress(Exception):  # without a compiler there is no such backend
        told["cpp_s"] = least(runs + 1, cpp)
    return {"version": version("kvcache-simulator"), **told}


def libcachesim(folder: Path, capacity: int, runs: int) -> dict[str, object]:
    """Return seconds of libcachesim and the share of blocks that it hits; it knows blocks, not prefixes."""
    lcs = import_module("libcachesim")

    def run() -> float:
        options = lcs.ReaderInitParam(ignore_obj_size=True)
        kind = lcs.TraceType.PLAIN_TXT_TRACE
        reader = lcs.TraceReader(trace=str(folder / "blocks.txt"), trace_type=kind, reader_init_params=options)
        return 1 - float(lcs.LRU(cache_size=capacity).process_trace(reader)[0])

    return {"version": version("libcachesim"), "block_hit_rate": run(), "file_s": least(runs, run)}


def least(runs: int, way: Callable[[], object]) -> float:
    """Return the least seconds that a call took."""
    found = []
    for _ in range(runs):
        began = time.perf_counter()
        way()
        found.append(time.perf_counter() - began)
    return min(found)


def main(folder: str, capacity: str, runs: str) -> None:
    """Print what each one took; one that is not installed is left out."""
    told = {}
    for name, measure in (("kvcache-simulator", kvcache_simulator), ("libcachesim", libcachesim)):
        with contextlib.suppress(ModuleNotFoundError):
            told[name] = measure(Path(folder), int(capacity), int(runs))
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])

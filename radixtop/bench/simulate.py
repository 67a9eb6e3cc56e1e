"""How fast block caches are run over a trace, beside other simulators: as a table, or one document."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cache_core.bench.table import table
from profiles.bench.simulation import LongFigures, SimulationFigures, long_pass, measure
from profiles.plain import json_text
from profiles.simulation.made_up import MadeUpChats
from profiles.trace import ID_BYTES, Trace, TraceRequest
from profiles.trace_format import open_trace
from radixtop.bench.figures import narrate
from radixtop.errors import RadixtopError

PEERS = ("kvcache-simulator", "libcachesim")
MADE_UP_REQUESTS = 6_000
_PUBLIC = "mooncake_fast25_conversation_dev6000.jsonl.gz"
_PATIENCE_S = 600
_WAYS = {"python_s": "its Python", "cpp_s": "its C++", "file_s": "its C, the trace read from a file"}

Told = Mapping[str, Mapping[str, Any]]


def run(path: Path | None, capacity_blocks: int, runs: int, long_refs: int, peer: str | None, as_json: bool) -> None:
    """Measure, and write the figures to stdout. Raises TraceError, and RadixtopError where the peer does not run."""
    trace = the_trace(path)
    narrate(f"{trace.name}: {len(trace):,} requests, LRU and others at {capacity_blocks:,} blocks, {runs} times")
    requests = list(trace)
    figures = measure(requests, capacity_blocks, runs)
    told: Told = {}
    if peer is not None:
        narrate(f"other simulators in {peer}")
        told = of_peers(peer, requests, capacity_blocks, runs)
    long = None
    if long_refs:
        narrate(f"one pass over {long_refs:,} block references")
        long = long_pass(long_refs)
    sys.stdout.write((_document(trace, figures, told, long) if as_json else text(figures, told, long)) + "\n")


def the_trace(path: Path | None) -> Trace:
    """Open a trace: of a file, of the folder of public traces where there is one, or made up."""
    public = Path(os.environ.get("RADIXTOP_TRACES", "")) / _PUBLIC
    if path is None and public.is_file():
        path = public
    return MadeUpChats(MADE_UP_REQUESTS) if path is None else open_trace(path)


def of_peers(python: str, requests: Sequence[TraceRequest], capacity_blocks: int, runs: int) -> Told:
    """Return what the simulators that an interpreter has took. Raises RadixtopError when it does not run."""
    script = Path(__file__).with_name("simulate_peer.py")
    with tempfile.TemporaryDirectory() as folder:
        write_trace(Path(folder), requests)
        command = [python, str(script), folder, str(capacity_blocks), str(runs)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            said = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1:]
            hint = f"it must have one of them: PYTHON -m pip install {' '.join(PEERS)}"
            raise RadixtopError(f"the simulators do not run in {python}: {' '.join(said)}", hint) from None
    found: Told = json.loads(done.stdout.splitlines()[-1])
    return found


def write_trace(folder: Path, requests: Sequence[TraceRequest]) -> None:
    """Write the requests as other simulators read them: blocks numbered by their place in the tree of all paths."""
    numbers: dict[tuple[object, bytes], int] = {}
    with (folder / "requests.jsonl").open("w") as lines, (folder / "blocks.txt").open("w") as blocks:
        for request in requests:
            above: object = request.namespace
            ids = []
            for at in range(0, len(request.path), ID_BYTES):
                above = numbers.setdefault((above, request.path[at : at + ID_BYTES]), len(numbers) + 1)
                ids.append(above)
            line = {
                "block_size": request.block_tokens,
                "hash_ids": ids,
                "input_length": request.prompt_tokens,
                "block_tokens": [
                    request.tokens_of(count + 1) - request.tokens_of(count) for count in range(len(ids))
                ],
            }
            lines.write(json.dumps(line) + "\n")
            blocks.write("".join(f"{number}\n" for number in ids))


def text(figures: SimulationFigures, told: Told, long: LongFigures | None) -> str:
    """Return a row for each way to run over the trace, of ours and of others."""
    head = ["what runs over the trace", "requests/s", "against ours, LRU"]
    lines = [
        table(head, [*_rows(figures, told)]),
        f"{figures.requests:,} requests, {figures.block_refs:,} blocks; {figures.capacity_blocks:,} fit; "
        f"LRU hits {figures.lru_hit_tokens:,} tokens in the last half",
    ]
    if hits := told.get("kvcache-simulator", {}).get("hit_tokens"):
        lines.append(f"kvcache-simulator hits {hits:,} there")
    if long is not None:
        lines.append(
            f"one pass over {long.block_refs:,} blocks of {long.requests:,} requests: {long.seconds:.0f} s; "
            f"at most {long.peak_rss_bytes / 1e6:.0f} MB, {long.early_rss_bytes / 1e6:.0f} MB after a tenth of it"
        )
    return "\n".join(lines)


def _rows(figures: SimulationFigures, told: Told) -> Iterator[list[str]]:
    ours = figures.requests_per_s["lru"]
    for name, rate in figures.requests_per_s.items():
        yield [f"ours: {name}", f"{rate:,.0f}", f"x{rate / ours:.2f}"]
    for name in PEERS:
        if name not in told:
            yield [f"{name}: LRU", "not run", "-"]
            continue
        for key, title in _WAYS.items():
            if key in told[name]:
                rate = figures.requests / told[name][key]
                yield [f"{name} {told[name]['version']}: LRU, {title}", f"{rate:,.0f}", f"x{rate / ours:.2f}"]


def _document(trace: Trace, figures: SimulationFigures, told: Told, long: LongFigures | None) -> str:
    peers = {name: told.get(name) for name in PEERS}
    return json_text(
        {"trace": trace.name, **asdict(figures), "peers": peers, "long": None if long is None else asdict(long)},
        indent=1,
    )

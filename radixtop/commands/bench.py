"""`radixtop bench`: figures of this machine, as ratios inside one run wherever something is compared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radixtop import options as flag
from radixtop.bench.figures import write
from radixtop.command import command_app
from radixtop.needs import need_torch
from radixtop.serving.run_config import RunConfig

app = command_app()

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Runs = Annotated[int, typer.Option("--runs", metavar="N", min=1, help="How often each is measured, in turns.")]
Quick = Annotated[bool, typer.Option("--quick", help="The same on small loads.")]
Load = Annotated[int, typer.Option("--requests", metavar="N", min=1, help="Prompts to serve in one run.")]


@app.callback()
def bench() -> None:
    """Measure this machine, as ratios inside one run wherever something is compared.

    Example: radixtop bench screen --json
    """


@app.command(short_help="What the dashboard costs, and which of its promises hold.")
def screen(
    runs: Runs = 7,
    watch: Annotated[float, typer.Option("--watch", min=1, metavar="S", help="Seconds to watch it idle.")] = 10.0,
    nodes: Annotated[
        int, typer.Option("--nodes", metavar="N", min=1_000, help="Nodes of the large tree.")
    ] = 1_000_000,
    json: Json = False,
) -> None:
    """What the dashboard costs, each figure beside the most that it may be, and whether that holds.

    First frame of a live workload and of a process that publishes its cache, against an empty Textual app; --help; an
    idle screen at 1 Hz; what every view writes to a terminal of 120x40 under a live load; memory; how long at most no
    key is heard in a storm of events and of sizes; a large tree: scroll, sort, a new node, memory.

    Example: radixtop bench screen --runs 11 --json
    """
    need_torch()
    from radixtop.bench.screen import run

    run(runs, watch, nodes, json)


@app.command(short_help="What watching costs the cache and the engine.")
def probes(
    workload: flag.Workload = "mixed",
    model: flag.Model = "tiny",
    device: flag.Device = "auto",
    requests: Load = 16,
    runs: Runs = 6,
    json: Json = False,
) -> None:
    """What watching costs: a record, each probe, the bare cache and the engine, recorder off and on in turns.

    Example: radixtop bench probes --runs 12
    """
    need_torch()
    from radixtop.bench.probing import all_figures, report

    run = RunConfig(workload=workload, model=model, device=device, requests=requests, pools_hold_everything=True)
    report(all_figures(run, runs), json)


@app.command(short_help="One load without and with branching.")
def branching(
    workload: flag.Workload = "shared_prompt",
    model: flag.Model = "tiny",
    device: flag.Device = "auto",
    page_size: flag.PageSize = 1,
    window: flag.Window = 128,
    chunk_size: flag.ChunkSize = 4096,
    concurrency: flag.Concurrency = 4,
    seed: flag.Seed = 1,
    requests: Load = 100,
    json: Json = False,
) -> None:
    """One load twice in one process, branching off and on: hit rate, TTFT, and whether all tokens are equal.

    Outputs may part where the best two logits are nearly equal; such near ties are counted, not compared.

    Example: radixtop bench branching --requests 50 --chunk-size 512
    """
    need_torch()
    from radixtop.bench.branching import off_and_on

    run = RunConfig(
        workload=workload,
        model=model,
        device=device,
        page_size=page_size,
        window=window,
        chunk_size=chunk_size,
        concurrency=concurrency,
        seed=seed,
        requests=requests,
        pools_hold_everything=True,
    )
    write(off_and_on(run).describe(), json)


@app.command("four_way", short_help="A few-shot load by fcfs, lpm + slru, page 16 and without a tree.")
def four_way(
    model: flag.Model = "tiny",
    device: flag.Device = "auto",
    full_slots: Annotated[
        int, typer.Option("--full-slots", metavar="N", min=1, help="Tokens the pool holds, a multiple of 16.")
    ] = 3_200,
    chunk_size: flag.ChunkSize = 512,
    concurrency: flag.Concurrency = 8,
    seed: flag.Seed = 1,
    requests: Load = 96,
    runs: Runs = 5,
    json: Json = False,
) -> None:
    """One few-shot load four ways, all requests at once, tasks grouped and interleaved: a table and the verdicts.

    The ways are fcfs with lru and page 1, lpm with slru, page 16, and the chunk cache, which reuses nothing. The
    verdicts are on what the RadixAttention chapter predicts of them. Of each way the fastest run counts, on
    a CPU by the CPU time of the process.

    Example: radixtop bench four_way --runs 3 --json
    """
    need_torch()
    from radixtop.bench.four_way import four_way as compare
    from radixtop.bench.four_way_report import write as report

    run = RunConfig(
        workload="few_shot",
        model=model,
        device=device,
        full_slots=full_slots,
        chunk_size=chunk_size,
        concurrency=concurrency,
        seed=seed,
        requests=requests,
    )
    report(compare(run, runs), json)


@app.command(short_help="What the cache's operations cost, beside SGLang's.")
def core(
    peer: Annotated[
        list[str] | None,
        typer.Option(
            "--peer", metavar="NAME=PYTHON[:FOLDER]", help="An interpreter with SGLang; may be given again."
        ),
    ] = None,
    runs: Runs = 5,
    quick: Quick = False,
    json: Json = False,
) -> None:
    """Tree operations, evictions, long matches and memory of the cache, and of SGLang's caches in turns with it.

    Figures are medians of the runs.

    A peer is the Python of a virtual environment with torch, numpy and sglang 0.5.20 or 0.5.23 (`pip install
    --no-deps`); FOLDER is an unpacked wheel, where it is not installed. Both of its tree cores are measured.

    Example: radixtop bench core --quick --peer sglang23=venv/bin/python:sglang-0.5.23
    """
    from radixtop.bench.core import run

    run(peer or [], runs, quick, json)


@app.command(short_help="What our probes cost SGLang's own cache.")
def inside(
    peer: Annotated[str, typer.Option("--peer", metavar="NAME=PYTHON[:FOLDER]", help="An interpreter with SGLang.")],
    requests: Annotated[int, typer.Option("--requests", metavar="N", min=1, help="Requests that count.")] = 150,
    runs: Runs = 3,
    json: Json = False,
) -> None:
    """Requests on SGLang's own cache: plainly, with probes in its process, and with its tree besides.

    A request has 2,000 tokens, half of them cached, and evicts as much as it brings. Both tree cores, in pages of 64
    and of 1. Times are the thread's own, of the run that took least. What is told later than the call that it is of
    counts for the whole request.

    Example: radixtop bench inside --peer sglang23=venv/bin/python:sglang-0.5.23
    """
    from radixtop.bench.inside import run

    run(peer, requests, runs, json)


@app.command(short_help="How the cache's costs grow up to 1,000,000 nodes.")
def scale(quick: Quick = False, json: Json = False) -> None:
    """What operations cost in a deep tree, a wide one, with long keys and many namespaces, at a size and half of it.

    What should stay the same is expected to grow x1 between the two, what walks over everything x2.

    Example: radixtop bench scale --quick
    """
    from radixtop.bench.scale import run

    run(quick, json)


@app.command(short_help="What following a cache costs, and how that grows with its tree.")
def mirror(
    nodes: Annotated[int, typer.Option("--nodes", metavar="N", min=100, help="Nodes of the larger tree.")] = 100_000,
    requests: Annotated[
        int, typer.Option("--requests", metavar="N", min=1_000, help="Requests whose records are timed.")
    ] = 20_000,
    peer: Annotated[
        str | None, typer.Option("--peer", metavar="PYTHON", help="An interpreter that has RadixView 0.1.0.")
    ] = None,
    runs: Runs = 2,
    json: Json = False,
) -> None:
    """What a reader of records pays, in a tree and in one a tenth of its size.

    A record in a tick of all probes and in the mirror alone, a tick without records, a node that is stated to a late
    joiner, a node in memory. The records are those of a chat load on a tree that stays full. Figures are the least of
    the runs. Then what following KV events of as many blocks takes, and what it takes RadixView in the same run
    (`python -m venv venv && venv/bin/pip install radixview==0.1.0`).

    Example: radixtop bench mirror --nodes 10000 --peer venv/bin/python
    """
    from radixtop.bench.mirror import run

    run(nodes, requests, runs, json, peer)


@app.command(short_help="The speed of the model that serves the live workload.")
def engine(
    model: flag.Model = "tiny",
    device: flag.Device = "auto",
    chunk_size: flag.ChunkSize = 512,
    prompt_tokens: Annotated[
        int,
        typer.Option("--prompt-tokens", metavar="N", min=2, help="Tokens of a prompt; decoding follows half."),
    ] = 2_048,
    output_tokens: Annotated[
        int, typer.Option("--output-tokens", metavar="N", min=1, help="Tokens that each request decodes.")
    ] = 64,
    json: Json = False,
) -> None:
    """Tokens per second of a model: prompts that share nothing, and outputs with 1, 4 and 8 requests at once.

    Outputs also as how many times as many as of one request alone. A CPU computes with one thread.

    Example: radixtop bench engine --model small --device cpu
    """
    need_torch()
    from cache_core.engine import EngineConfig
    from radixtop.bench.engine import run

    run(EngineConfig(model, device, chunk_size=chunk_size), prompt_tokens, output_tokens, json)


@app.command(short_help="What each switch that the reference lacks is worth.")
def switches(
    runs: Runs = 5,
    quick: Quick = False,
    json: Json = False,
) -> None:
    """Each switch that the reference lacks, off and on in turns: both figures, and how many times as much on is.

    Hit rates by which window goes first, looks at a waiting queue, the limit of lpm, and what a look leaves in the
    tree. The cache alone, no model; times are the least of the runs.

    Example: radixtop bench switches --quick
    """
    from radixtop.bench.switches import run

    run(runs, quick, json)


@app.command(short_help="From a large tree to a flame graph in each format.")
def profiles(
    nodes: Annotated[
        int, typer.Option("--nodes", metavar="N", min=100, help="Nodes of the larger tree.")
    ] = 1_000_000,
    runs: Runs = 3,
    json: Json = False,
) -> None:
    """What it takes to turn a tree into a forest, and that into pruned files; and a tree of a tenth of its size.

    Times count from the mirror of a cache until a file is written. Figures are the least of the runs.

    Example: radixtop bench profiles --nodes 100000
    """
    from radixtop.bench.profiles import run

    run(nodes, runs, json)


@app.command(short_help="How fast block caches are run over a trace, beside other simulators.")
def simulate(
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE", help="A request trace; else one is made up."),
    ] = None,
    capacity: Annotated[
        int, typer.Option("--capacity", metavar="N", min=1, help="How many blocks the caches hold.")
    ] = 5_859,
    long: Annotated[
        int, typer.Option("--long", metavar="N", min=0, help="Blocks of a made-up trace, for the memory of one pass.")
    ] = 2_000_000,
    peer: Annotated[
        str | None, typer.Option("--peer", metavar="PYTHON", help="An interpreter that has other simulators.")
    ] = None,
    runs: Runs = 5,
    json: Json = False,
) -> None:
    """Requests a second of every block cache over a trace, of the curve in one pass, and of other simulators.

    Ours by CPU time, others by the clock, the best of the runs. Traces are read before, but libcachesim reads a file,
    and kvcache-simulator hands its C++ one. Without --trace it is the conversation trace in the folder of
    RADIXTOP_TRACES, if there is one. A peer is the Python of a virtual environment with any of the others
    (`pip install kvcache-simulator libcachesim`). libcachesim knows blocks and no prefixes.

    Example: radixtop bench simulate --long 0 --peer venv/bin/python
    """
    from radixtop.bench.simulate import run

    run(trace, capacity, runs, long, peer, json)

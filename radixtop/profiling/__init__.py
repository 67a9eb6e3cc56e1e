"""The subcommands of `radixtop profile`: one file with one function of that name each, and a line in the table."""

from __future__ import annotations

from radixtop.command import Command

SUBCOMMANDS: dict[str, Command] = {
    "info": Command("radixtop.profiling.info", "What a recording is: when, how long, how much, how it ended."),
    "export": Command("radixtop.profiling.export", "A recording in the format of another tool."),
    "flame": Command("radixtop.profiling.flame", "The cached prefixes as a flame graph."),
    "cpu": Command("radixtop.profiling.cpu", "Where a Python process spends its time, with py-spy."),
    "diff": Command("radixtop.profiling.diff", "What differs between two recordings, or two moments of one."),
    "torch": Command("radixtop.profiling.torch", "A live workload under torch's profiler."),
    "evict": Command("radixtop.profiling.evict", "What evictions freed and what they cost."),
    "branching": Command("radixtop.profiling.branching", "Every branching point: its cost, its end, what it saved."),
    "ages": Command("radixtop.profiling.ages", "How old prefixes get, and whether evicted ones were still wanted."),
    "tenants": Command("radixtop.profiling.tenants", "What namespaces hold and hit, and who evicts whose."),
}

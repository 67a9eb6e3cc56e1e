"""Bodies of the benchmarks that need the whole product; `commands/bench.py` prints what they return."""

"""Bodies of the benchmarks of this package; `radixtop bench` runs them."""

"""What happened when, as Chrome trace events: runs of a cache, and the traces of other profilers beside them."""

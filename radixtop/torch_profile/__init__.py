"""`radixtop profile torch`: a workload under torch's profiler."""

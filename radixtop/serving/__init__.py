"""The live workload: the process that serves it, and its parent's side."""

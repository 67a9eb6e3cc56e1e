"""The workloads; their contract and their table are in `profiles/workload.py`."""

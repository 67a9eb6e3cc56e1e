"""Traces of requests (`trace_replay.py`) and recorded operations (`cache_replay.py`) on a cache of our own."""

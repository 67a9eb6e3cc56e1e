"""The formats of request traces, one file each; their contract and their table are in `profiles/trace_format.py`."""

"""The sources of records; their contract and their table are in `probes/adapter.py`."""

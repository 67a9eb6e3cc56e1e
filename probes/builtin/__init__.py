"""The probes; their contract and their table are in `probes/probe.py`."""

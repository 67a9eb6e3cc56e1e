"""The kinds of state on nodes; their contract and their table are in `cache_core/component.py`."""

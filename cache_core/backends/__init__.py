"""The trees; their contract and their table are in `cache_core/backend.py`."""

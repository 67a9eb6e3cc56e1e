"""The slot pools; their contract is in `cache_core/pool.py`."""

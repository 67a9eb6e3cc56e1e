"""The eviction orders; their contract and their table are in `cache_core/policy.py`."""

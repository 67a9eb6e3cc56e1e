"""The caches to compare with; their contract is that of `PrefixCache`, their table is in `cache_core/control.py`."""

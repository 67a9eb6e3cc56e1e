"""The caches that can be measured; the contract and their names are in `subject.py`."""

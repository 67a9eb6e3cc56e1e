"""The formats of differences; their contract and their table are in `profiles/diff/format.py`."""

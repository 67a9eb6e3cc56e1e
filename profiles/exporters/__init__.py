"""The export formats; their contract and their table are in `profiles/exporter.py`."""

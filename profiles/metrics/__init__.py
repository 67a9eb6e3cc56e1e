"""The metrics that a scrape is answered with, one file per sample; contract and table are in `profiles/metric.py`."""

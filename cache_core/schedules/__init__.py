"""The schedules; their contract and their table are in `cache_core/schedule.py`."""

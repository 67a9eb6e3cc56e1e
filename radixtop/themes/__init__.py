"""Themes, one a file; the table is in `radixtop/theme.py`."""

"""The panels; their contract and their table are in `radixtop/panel.py`."""

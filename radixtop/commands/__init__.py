"""The subcommands; their contract and their table are in `radixtop/command.py`."""

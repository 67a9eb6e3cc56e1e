"""Triggers, one a file; the contract and the table are in `probes.trigger`."""

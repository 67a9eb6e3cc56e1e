"""The tables that a profile amounts to."""

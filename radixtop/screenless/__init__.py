"""Watching without a screen: one moment, every moment, or a report at the end."""

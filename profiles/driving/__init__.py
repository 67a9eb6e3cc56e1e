"""Feeds workloads into an engine, at a pace."""

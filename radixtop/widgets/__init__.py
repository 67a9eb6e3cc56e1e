"""Widgets: they know lines, numbers and keys, and no snapshot field."""

"""Recordings: the file, written and read, and who writes one from outside."""

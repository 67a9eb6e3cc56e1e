"""Inference servers as they are from outside: asking them over HTTP, and what they say of themselves."""

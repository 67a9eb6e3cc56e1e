"""Which nodes go next: what the order of a cache is, and who is first in it."""

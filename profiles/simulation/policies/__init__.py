"""Block caches, one policy a file."""

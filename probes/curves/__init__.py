"""What LRU hits at every capacity, from one pass over requests by the depth of what they touch."""

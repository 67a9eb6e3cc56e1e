"""The mirrored tree as frozen rows: which nodes are visible, in which order, and what a row says."""

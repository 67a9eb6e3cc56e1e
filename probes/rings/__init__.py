"""Rings in shared memory, and the tree for those who come late to one."""

"""The time of a source: which moment is shown, and how to get to another one."""

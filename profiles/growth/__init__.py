"""How a forest grows: out of the records of a run, or out of the mirror of a running cache."""

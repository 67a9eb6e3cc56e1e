"""Kinds of jobs of a sweep, see `radixtop.compare.job`."""

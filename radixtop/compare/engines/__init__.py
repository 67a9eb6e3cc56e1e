"""Engines that carry out the jobs of a sweep, see `radixtop.compare.engine`."""

"""What runs in the process of a foreign engine: wrappers around its cache's calls, whose records go into our ring.

`plugin.load` is what the engine's own plugin loader calls. Nothing else happens unless RADIXTOP_PROBE is set.
"""

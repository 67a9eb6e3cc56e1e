"""Recordings carried out again on a cache of our own, with made-up tokens (`profiles.replay.synthetic`)."""

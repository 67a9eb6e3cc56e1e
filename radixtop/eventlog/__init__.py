"""Which events are on screen, and what they say: runs on the polling thread, which has the log and the mirror."""

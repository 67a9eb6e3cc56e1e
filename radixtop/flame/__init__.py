"""The icicle of the tree: which frames have room, and what they stand for. Runs on the polling thread."""

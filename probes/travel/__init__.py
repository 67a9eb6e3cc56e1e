"""Going to a moment of a run: blocks that are kept, ways through them, a timeline of the whole."""

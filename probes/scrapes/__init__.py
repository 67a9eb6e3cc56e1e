"""The metrics pages of inference servers, read as figures of their caches."""

"""The lab of planted causes: recordings of the project's own engine, each with faults that are known."""

"""What diagnoses go by: a run in values, gathered in one pass over its records."""

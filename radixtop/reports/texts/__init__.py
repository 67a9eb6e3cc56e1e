"""Reports as lines for a person: one file per report of `profiles.report`, 64 cells wide or more."""

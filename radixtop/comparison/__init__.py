"""A marked moment against now: what changed between them. Runs on the polling thread, which sees every moment."""

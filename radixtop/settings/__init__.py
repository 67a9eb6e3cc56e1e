"""Settings of the screens, and other keys: the table, where values come from, and who wins."""

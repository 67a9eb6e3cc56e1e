"""Text sources, a file each."""

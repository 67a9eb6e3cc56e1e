"""Formats of pictures, see `profiles.picture`."""

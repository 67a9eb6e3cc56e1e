"""The reports of `profiles.report`, one file each."""

"""What a shell may complete on a radixtop command line."""

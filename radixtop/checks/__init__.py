"""The checks of `radixtop doctor`, one a file."""

"""What becomes of nodes and of requests, followed by more than one record."""

"""The parts of the host tier: copies of nodes in host memory, and the transfers that make and read them."""

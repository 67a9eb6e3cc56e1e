"""What the nodes of a tree say: tokens that were kept for it, decoded when a screen asks, and not before."""

"""The view of several servers and ranks: their names, their rows, and what reports tell of them."""

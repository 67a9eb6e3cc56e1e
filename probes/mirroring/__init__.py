"""What the mirror is made of: fields by slot, what waits on ways, what changed."""

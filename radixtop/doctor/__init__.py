"""`radixtop doctor`: running checks within a deadline, and telling what they found."""

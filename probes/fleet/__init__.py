"""Several servers and ranks watched at once: what each has, what they share, and which is unlike the others."""

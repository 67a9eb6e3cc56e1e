"""`radixtop record`: a ring, or what a command publishes, into files."""

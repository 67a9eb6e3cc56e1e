"""What differs between two forests, and the formats that differences are written in."""

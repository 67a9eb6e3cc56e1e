"""What reports add up while they read a recording, each in bounded memory."""

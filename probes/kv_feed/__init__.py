"""The KV events of servers: followed over ZeroMQ or read from a file, in order, with every loss told."""

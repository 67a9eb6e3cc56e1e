"""KV events over ZeroMQ."""

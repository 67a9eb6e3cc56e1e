"""Which blocks a server holds, as its KV events tell."""

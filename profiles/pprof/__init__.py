"""Files for pprof: protocol buffers, and the messages of a profile."""

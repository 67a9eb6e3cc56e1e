"""How old what is cached now is."""

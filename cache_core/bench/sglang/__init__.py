"""SGLang's unified radix cache on a CPU, without its server: only a peer's interpreter imports this package.

`modules.load` imports what is needed of an installed or unpacked SGLang 0.5.20 to 0.5.23; `pools.py` makes its
slot allocators, `requests.py` plays the scheduler's part for requests, `replay.py` runs operation logs.
"""

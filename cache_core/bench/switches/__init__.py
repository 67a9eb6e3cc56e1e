"""What our switches are worth, each off as the reference does it and on: the body of `radixtop bench switches`.

Only the cache is called, no model. Hit rates and numbers of nodes are the same in every run on every machine; times
are least times, both sides measured in turns.
"""

"""Where a Python process spends its time: py-spy as a subprocess, its samples read and written by us.

`plan` says how to sample, `facts` and `rights` whether that is allowed, `sampler` runs py-spy, `failures` says what
its failures mean, `stacks` and `thread_slices` read what it found, `format` writes that, `timeline` lays it beside
what the cache did.
"""

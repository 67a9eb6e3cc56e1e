"""What the cache's operations cost, alone and beside another engine's cache: the body of `radixtop bench core`.

One process per cache measured (`worker`), driven in turns by the one that asks (`core`). A worker measures a
`Subject`; the workloads are the same for all. Standard library only: a peer's packages exist in the peer's
interpreter, and only `sglang/` reaches for them there. `scale` and `switches/` measure our cache alone, in this
process.
"""

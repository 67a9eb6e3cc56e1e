"""The block-hash cache: reuse by hashed blocks and queues of free ones, as vLLM's prefix caching is described.

Written from public descriptions of that design, to compare the radix tree with. A block is one page. A full block has
a hash chained from its parent's hash, the namespace and its tokens; a table leads from hashes to blocks. Nobody is
told when a block is no longer wanted: it waits in the queue of its kind, with its contents, until its slots are taken
for something else.

    match       walks the chain of a key's pages through the table, up to the first hash that is missing
    admit       holds the blocks of the match; the request takes further blocks from the front of the queues
    write-back  gives the request's full blocks their hashes; decode does so whenever a block is full
    end         lets go of the blocks, the last one first: a queue is in the order of last release, and a block
                never outlives the ones before it
    allocate    takes blocks without a hash first, which nothing can ever hit, then the head of the queue, whose
                block loses its hash: one block eviction

With a sliding window every block of the full kind may have one of the window kind. A request holds those that its
next token sees and a page before them, so that a repeat can end there. The ones behind wait in the queue of their
kind, ahead of the window that follows them, and can be hit until they are taken. A match may end where the blocks of
its last window are all there. There is no branching point: nothing is kept on purpose where prompts part.

In the records a node is a block and its parent the block before it, which outlives it; a block whose window slots
were taken is a tombstone. Priorities, `hit_rule`, `free_behind_window` and `swa_free_interval_tokens` change nothing.

Two things differ from what is described. The pools of both kinds are sized apart, as everywhere in this project,
where vLLM's groups share one. And of two blocks with the same content that requests computed side by side, the second
is given back at write-back, as the tree does it, so that a comparison compares the lookup and the order of eviction;
vLLM keeps it until its request ends.
"""

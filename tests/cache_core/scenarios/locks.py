"""S-42 to S-47 and S-49: what locks cover, and what they keep from eviction. Page 1, window 4."""

from __future__ import annotations

from tests.cache_core.scenarios.row import SWA, Case, Row

CHAIN = """
insert A2
insert A4
insert A6
insert A8
insert A10
lock deep A10
pool full       -> protected=10
pool swa        -> protected=4
locks           -> 1/0 1/0 1/0 1/1 1/1
lock middle A4
locks           -> 2/1 2/1 1/0 1/1 1/1
lock shallow A2
locks           -> 3/2 2/1 1/0 1/1 1/1
evict full=100 swa=100 -> full=0 swa=2
shape           -> 0+2S 2+2S 4+2t 6+2S 8+2S
"""

ORDERS = ("deep middle shallow", "shallow middle deep", "middle deep shallow")

ROWS = (
    Row(
        "S-42", "a split inside a locked node keeps both halves locked, and one release frees both",
        (Case(SWA, """
            insert A12
            lock leaf A12
            match A10
            shape           -> 0+8S 8+2S 10+2S
            locks           -> 1/0 1/1 1/1
            unlock leaf
            locks           -> 0/0 0/0 0/0
            pool swa        -> evictable=12 protected=0
        """),),
    ),
    Row(
        "S-43", "a lock holds the path and one window; locks end in any order",
        tuple(
            Case(
                SWA,
                CHAIN + "\n".join(f"unlock {name}" for name in order.split()) + "\nlocks -> 0/0 0/0 0/0 0/0 0/0",
                order.replace(" ", "-"),
            )
            for order in ORDERS
        ),
    ),
    Row(
        "S-44", "a receipt undoes its own lock, once, and no other",
        (Case(SWA, """
            insert A12
            lock leaf A12
            unlock leaf elsewhere -> raises LockError
            locks           -> 1/0 1/1
            unlock leaf
            unlock leaf     -> raises LockError
            locks           -> 0/0 0/0
        """),),
    ),
    Row(
        "S-45", "the window half of a lock can be given up early",
        (Case(SWA, """
            admit r A20
            prefill r 20
            pool swa        -> protected=4
            release_window r -> released=True
            pool swa        -> protected=0 evictable=5
            locks           -> 1/0 1/0 1/0
            evict swa=100   -> full=0 swa=5
            finish r
            match A20       -> hit=0 branch=20
        """),),
    ),
    Row(
        "S-46", "a lock counts on tombstones too",
        (Case(SWA, """
            insert A12 from=10
            lock end A12
            shape           -> 0+10t 10+2S
            locks           -> 1/1 1/1
            pool swa        -> protected=2
        """),),
    ),
    Row(
        "S-47", "growing under a lock makes a leaf that may go",
        (Case(SWA, """
            insert A8
            lock leaf A8
            evict full=100  -> full=0
            insert A12
            evict full=100  -> full=4 victims=1
            unlock leaf
            evict full=1    -> full=4 victims=1
        """),),
    ),
    Row(
        "S-49", "eviction respects the locks of each component",
        (Case(SWA, """
            insert A12
            lock leaf A12
            evict full=100 swa=100 -> full=0 swa=8
            shape           -> 0+8t 8+4S
            locks           -> 1/0 1/1
            unlock leaf
            evict full=1    -> full=4 swa=4
            evict full=1    -> full=8
        """),),
    ),
)  # fmt: skip

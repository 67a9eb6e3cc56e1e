"""S-51 to S-55 and the upstream variant: copies on the host. Page 1, window 4, chains of growing prefixes."""

from __future__ import annotations

from tests.cache_core.scenarios.row import SWA, Case, Row

HOST = {**SWA, "host_slots": 256, "load_back_tokens": 1}

CHAIN = """
insert A4
insert A8
insert A12
transfers       -> 1 backup full:4 swa:4; 2 backup full:4 swa:4; 3 backup full:4 swa:4
complete 1 2 3
"""

TWOS = """
insert A2
insert A4
insert A6
insert A8
transfers       -> 1 backup full:2 swa:2; 2 backup full:2 swa:2; 3 backup full:2 swa:2; 4 backup full:2 swa:2
complete 1 2 3 4
drop swa=8      -> swa=8 full=0
shape           -> 0+2Sf 2+2Sf 4+2Sf 6+2Sf
"""

LAST_WINDOW = f"""
{CHAIN}
drop swa=8      -> swa=8 full=0
evict swa=8     -> full=0 swa=8
shape           -> 0+4tf 4+4tf 8+4Sfs
queries 12 8    -> 12=12 8=0/8
evict full=4    -> full=4
match A12       -> hit=0 host=12 branch=none
"""

ROWS = (
    Row(
        "S-51", "a leaf with a copy is demoted, and its hit is one on the host",
        (Case(HOST, CHAIN + """
            shape           -> 0+4Sfs 4+4Sfs 8+4Sfs
            evict full=4    -> full=4
            shape           -> 0+4Sfs 4+4Sfs 8+4-fs
            match A12       -> hit=8 host=4 full=12 branch=none
            evict full=4    -> full=4
            match A12       -> hit=4 host=8 full=12 branch=none
            admit r A12 X1  -> hit=4 host=8
            load r          -> gained=8
            transfers       -> 4 load full:8 swa:4     # of the window, what the last 4 tokens need
            complete 4
            shape           -> 0+4Sfs 4+4tfs 8+4Sfs
        """),),
    ),
    Row(
        "S-52", "a window on the host counts where it is needed, and without it there is a branching point",
        (Case(HOST, LAST_WINDOW + """
            drop swa=4      -> swa=4
            match A12       -> hit=0 host=0 full=12 branch=12
        """),),
    ),
    Row(
        "S-53", "an insert brings nodes back from the host, and copies the window that the host lacks",
        (Case(HOST, LAST_WINDOW + """
            drop swa=4
            insert A12      -> present=12
            match A12       -> hit=12 host=0 branch=none
            transfers       -> 4 backup swa:4
            pool full       -> protected=12     # what is being copied stays
            complete 4
            pool full       -> evictable=12
            pool swa        -> evictable=12
        """),),
    ),
    Row(
        "S-54", "copies are made after one hit or after two, whole paths from the root",
        (
            Case(HOST | {"write_policy": "write_through_selective"}, """
                insert A4
                transfers   ->
                insert A8
                transfers   -> 1 backup full:4 swa:4
                insert A12
                transfers   -> 2 backup full:4 swa:4
                shape       -> 0+4Sfs 4+4Sfs 8+4S
            """, "two"),
            Case(HOST, """
                insert A4
                insert A8
                transfers   -> 1 backup full:4 swa:4; 2 backup full:4 swa:4
            """, "one"),
            Case(HOST | {"write_policy": "write_back"}, """
                insert A4
                insert A4
                insert A4
                transfers   ->
                evict full=4
                transfers   -> 1 backup full:4 swa:4
                shape       -> 0+4-fs
            """, "eviction"),
        ),
        unlike="a copy counts from when it is queued; the stub that this was recorded on never took one, so that the "
               "third insert copied the first node again",
    ),
    Row(
        "S-55", "of a window only what the host lacks is copied, up to a node that a copy under way covers",
        (
            Case(HOST, TWOS + """
                insert A8
                transfers   -> 5 backup swa:4
                insert A8
                transfers   ->                  # the node itself is pending
            """, "two-deepest"),
            Case(HOST, TWOS + """
                insert A6
                transfers   -> 5 backup swa:4
                complete 5
                insert A8
                transfers   -> 6 backup swa:2
            """, "parent-has-it"),
            Case(HOST, TWOS + """
                insert A6
                transfers   -> 5 backup swa:4
                insert A8
                transfers   -> 6 backup swa:2
                complete 6 5
                shape       -> 0+2Sf 2+2Sfs 4+2Sfs 6+2Sfs
            """, "parent-pending"),
        ),
    ),
    Row(
        "upstream: host", "a leaf whose window the host has dropped is whole again after an insert",
        (Case(HOST, """
            insert A4
            insert A9
            shape           -> 0+4Sfs 4+1Sfs 5+4Sfs
            transfers
            complete 1 2
            evict full=4    -> full=4
            drop swa=4      -> swa=4 full=0
            shape           -> 0+4Sfs 4+1Sfs 5+4-f
            match A9        -> full=9 branch=9
            copies full     -> used=9
            insert A9
            copies full     -> used=9
            copies swa      -> used=9
            match A9        -> hit=9 branch=none
        """),),
    ),
)  # fmt: skip

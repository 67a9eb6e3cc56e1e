"""S-57, S-58, S-60 to S-63: events, allocators, a defect of the reference, victim orders, a schedule, an example."""

from __future__ import annotations

from tests.cache_core.scenarios.row import FULL, SWA, Case, Row, roomy

VICTIMS = """
insert A4 priority=5
insert B4 priority=1
insert C4 priority=1
insert D4 priority=9
insert A4
insert C4
insert C4
match B4        -> hit=4
drain           -> {order}
"""

ORDERS = {
    "lru": ({}, "D0 A0 C0 B0"),
    "mru": ({}, "B0 C0 A0 D0"),
    "fifo": ({}, "A0 B0 C0 D0"),
    "filo": ({}, "D0 C0 B0 A0"),
    "lfu": ({}, "D0 B0 A0 C0"),
    "slru": ({}, "D0 B0 A0 C0"),
    "slru3": ({"policy": "slru", "policy_options": (("threshold", 3),)}, "D0 A0 B0 C0"),
    "priority": ({}, "C0 B0 A0 D0"),
}

ROWS = (
    Row(
        "S-57", "events tell of new blocks and of those that went, and of nothing else",
        (Case(FULL | {"page_size": 4}, """
            listen
            insert A1:9     # tokens 1 to 8
            told            -> stored 1,2 after none of 4 on GPU
            block 1         -> -3488128144981237669
            block 2         -> 5674439469042975057
            match A1:5
            shape           -> 0+4 4+4
            told            ->
            insert A1:5 B8
            told            -> stored 3,4 after 1 of 4 on GPU
            evict full=100
            told            -> removed 2,3,4,1 from GPU
            reset
            told            -> cleared
        """),),
    ),
    Row(
        "S-58", "slots are taken with their window peers, in page order, and given back apart",
        (
            Case(SWA | {"full_slots": 16, "swa_slots": 12}, """
                allocate a 5            -> 1 2 3 4 5
                peers 1 2 3 4 5         -> 1 2 3 4 5
                free                    -> 11 7
                release a 0:2 window
                free                    -> 11 9
                peers 1 2 3 4 5         -> 0 0 3 4 5
                release a 0:2
                free                    -> 13 9
            """, "peers"),
            Case(SWA | {"full_slots": 16, "swa_slots": 12}, """
                allocate a 5
                allocate b 8            -> raises OutOfSlotsError
                free                    -> 11 7
            """, "both-or-none"),
            Case(FULL | {"full_slots": 8}, """
                allocate a 3            -> 1 2 3
                allocate b 2            -> 4 5
                release a
                allocate c 3            -> 1 2 3
                allocate d 3            -> 6 7 8
            """, "tokens", "ours"),
            Case(FULL | {"full_slots": 64, "page_size": 4}, """
                admit r A13
                prefill r 6 uncached
                row r                   -> 4 5 6 7 8 9
                prefill r 13 uncached
                row r                   -> 4 5 6 7 8 9 10 11 12 13 14 15 16
                admit s B5
                admit t C4
                prefill s 5 uncached
                prefill t 4 uncached
                row s                   -> 20 21 22 23 24
                row t                   -> 28 29 30 31
            """, "pages"),
        ),
        unlike="freed slots go to the front of the free list whatever the page size; the reference appends single "
               "tokens at its end (6,7,8 come before 1,2,3) and pages at its front",
    ),
    Row(
        "S-60", "a window that is no multiple of the page keeps its insert reachable",
        (Case(roomy(SWA) | {"page_size": 4, "window": 6}, """
            admit r A43
            prefill r 43
            request r               -> C=40 E=32
            shape                   -> 0+32t 32+8S
            finish r
            reusable                -> 512 512
        """, side="ours"),),
        unlike="window_span: 0.5.20 has C=0 with (0,36,t)(36,4,S) in the tree, and 552/516 of 512/512 after the "
               "finish: slots owned twice; 0.5.23 has our figures",
    ),
    Row(
        "S-61", "seven victim orders, one of them told another threshold",
        tuple(
            Case(
                FULL | {"policy": name, "evictor": evictor} | more, VICTIMS.format(order=order), f"{name}-{evictor}"
            )
            for name, (more, order) in ORDERS.items()
            for evictor in ("incremental", "rebuild")
        ),
    ),
    Row(
        "S-62", "longest prefix first; who shares 32 tokens with one that goes before waits for it",
        (Case(roomy(FULL, 4096), """
            insert B100
            insert C40
            wait a A70
            wait b B110
            wait c C50
            wait d D70
            wait e D64 E10      # all that d computes first
            wait f D31 F50
            wait g D32 G50
            plan lpm            -> b c a d f e g | e g
            plan fcfs           -> a b c d e f g |
        """),),
    ),
    Row(
        "S-63", "three requests in turn",
        (Case(roomy(FULL, 8192), """
            serve S512 F1543 Q96    -> hit=0
            serve S512 F1543 R80    -> hit=2055
            serve S512 T2112        -> hit=512
            shape                   -> 0+512 512+1543 2055+96 2055+80 512+2112
            pool full               -> evictable=4343
        """),),
    ),
    Row(
        "upstream: overshoot", "a request that passed its branch frees what lies between branch and window",
        (
            Case(roomy(SWA), """
                serve A41
                admit r A8 B12          -> branch=8
                prefill r 20 uncached
                windows r               -> 0:20
                prefill r 20
                request r               -> C=8 E=15 branch=none
                windows r               -> 3:8 15:20
            """, "frees"),
            Case(SWA, """
                insert_length n=12 C=4 branch=8 -> 8
                insert_length n=7 C=4 branch=8  -> 7
                insert_length n=12 C=8 branch=8 -> 12
                insert_length n=12 C=4          -> 12
            """, "caps"),
            Case(roomy(SWA) | {"bigram": True}, """
                serve A41
                admit r A9 B11          -> branch=8
                prefill r 20
                request r               -> C=8 branch=none
            """, "pairs"),
        ),
    ),
)  # fmt: skip

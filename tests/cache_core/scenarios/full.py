"""S-01 to S-10: the tree with the Full component alone."""

from __future__ import annotations

from tests.cache_core.scenarios.row import FULL, REFERENCE, Case, Row, roomy

SPLIT_READ = """
insert A8
insert B8
match {query}
evict full=1    -> full={freed}
shape           -> {shape}
"""

REPEATED = """
admit r A10
prefill r 10 uncached
decode r B4
finish r
shape           -> 0+10 10+4
priorities      -> 1 0
hit_counts      -> 1 1
admit r A10     -> hit=9
shape           -> 0+9 9+1 10+4
prefill r 10
decode r B4
finish r
shape           -> 0+9 9+1 10+4
hit_counts      -> {counts}
"""

COUNTS = """
admit r A4 X1
insert A4
insert A4
prefill r 4     # a chunk in the middle of a prompt
retract r
insert A2 B2
shape           -> 0+2 2+2 2+2
hit_counts      -> {counts}
insert A4 priority=3
hit_counts      -> {again}
priorities      -> 3 3 0
root            -> priority=3
"""

ROWS = (
    Row(
        "S-01", "a match splits, an insert adds what is new, duplicates go back, a leaf is evicted whole",
        (Case(FULL, """
            insert A8       -> present=0
            match A8        -> hit=8
            match A5 X1     -> hit=5
            shape           -> 0+5 5+3
            insert A5 Y2    -> present=5
            shape           -> 0+5 5+3 5+2
            pool full       -> evictable=10
            free            -> 246
            insert A5 Y2    -> present=7
            free            -> 246
            evict full=1    -> full=3
            shape           -> 0+5 5+2
            pool full       -> evictable=7
        """),),
    ),
    Row(
        "S-02", "lengths are whole pages",
        (Case(FULL | {"page_size": 4}, """
            insert A8
            queries 8 7 3   -> 8=8 7=4 3=0
            match A6 X4     -> hit=4
            shape           -> 0+4 4+4
            insert A6 Y2    -> present=4
            shape           -> 0+4 4+4 4+4
            pool full       -> evictable=12
        """),),
    ),
    Row(
        "S-03", "namespaces share nothing, and the empty salt is none",
        (Case(FULL, """
            insert A4
            insert A4 extra=lora
            insert A4 salt=s1
            insert A4 salt=
            shape           -> 0+4 0+4 0+4
            pool full       -> evictable=12
            match A4 extra=unknown -> hit=0
        """),),
    ),
    Row(
        "S-04", "edges that part within a page are siblings",
        (Case(FULL | {"page_size": 4}, """
            insert A3 X1
            insert A3 Y1
            shape           -> 0+4 0+4
            match A3 Z1     -> hit=0
        """),),
    ),
    Row(
        "S-05", "less than a page leaves no trace",
        (Case(FULL | {"page_size": 4}, """
            insert A3       -> present=0
            match           -> hit=0
            insert          -> present=0
            shape           ->
            free            -> 256
        """),),
    ),
    Row(
        "S-06", "inserts count hits and raise priorities",
        (
            Case(FULL | REFERENCE, COUNTS.format(counts="3 2 1", again="4 3 1"), side="reference"),
            Case(FULL, COUNTS.format(counts="4 3 1", again="5 4 1"), side="ours"),
        ),
        differs="hit_rule: a chunk counts nothing, or a request counts every node once, whatever its chunks",
    ),
    Row(
        "S-07", "what a read split does to the age of the suffix",
        tuple(
            Case(FULL | switches, SPLIT_READ.format(query=query, freed=freed, shape=shape), query[-2:], side)
            for query in ("A4", "A4 X1")
            for side, switches, freed, shape in (
                ("reference", REFERENCE, 8, "0+4 4+4"),
                ("ours", {}, 4, "0+4 0+8"),
            )
        ),
        differs="split_recency: the unmatched suffix is stamped by the split, or keeps its age and goes first",
    ),
    Row(
        "S-08", "prompt and output are separate nodes; a repeated prompt is matched up to its last token",
        (
            Case(FULL | REFERENCE, REPEATED.format(counts="3 3 2"), side="reference"),
            Case(FULL, REPEATED.format(counts="2 2 2"), side="ours"),
        ),
        differs="hit_rule: prefill and finish of one request count two hits, or one",
    ),
    Row(
        "S-09", "the partial tail page stays with the request",
        (Case(roomy(FULL, 128) | {"page_size": 4}, """
            admit r A10
            prefill r 10 uncached
            free            -> 116
            prefill r 10
            request r       -> C=8 row=10
            shape           -> 0+8
            decode r B3
            free            -> 112
            finish r
            shape           -> 0+8 8+4
            priorities      -> 1 0
            pool full       -> evictable=12
            free            -> 116
        """),),
    ),
    Row(
        "S-10", "two identical prompts end on one node",
        (Case(roomy(FULL, 128), """
            admit a A10
            admit b A10
            prefill a 10 uncached
            prefill b 10 uncached
            free            -> 108
            prefill a 10
            prefill b 10
            free            -> 118
            compare a b 0:10 -> same
            locks           -> 2/0
            request a       -> C=10
            request b       -> C=10
            finish a b
            pool full       -> evictable=10
            free            -> 118
        """),),
    ),
)  # fmt: skip

"""S-56 and S-59: keys of pairs, and recurrent states."""

from __future__ import annotations

from tests.cache_core.scenarios.row import FULL, SWA, Case, Row, roomy

PAIRS = {**FULL, "bigram": True}
STATES = {"components": ("full", "mamba"), "full_slots": 256, "mamba_slots": 32, "mamba_chunk_tokens": 4}
HYBRID = {**SWA, "components": ("full", "swa", "mamba"), "mamba_slots": 32, "mamba_chunk_tokens": 4}

FORKS = """
serve A40
shape               -> 0+35t 35+1S 36+4SM
admit fork A22 B12  -> hit=0 full=22 branch={branch}
prefill fork 34
request fork        -> C={written}
shape               -> {shape}
finish fork
admit third A22 C10 -> hit={hit}
"""

ROWS = (
    Row(
        "S-56", "a key of pairs is one unit shorter, and its last token's slot stays with the request",
        (
            Case(PAIRS, """
                insert A10          -> present=0
                shape               -> 0+9
                free                -> 247
                queries 9 5 1       -> 9=8 5=4 1=0
                match A10 X1        -> hit=9
            """, "tokens"),
            Case(PAIRS | {"page_size": 4}, """
                admit r A10
                prefill r 10
                request r           -> C=8 row=10
                shape               -> 0+8
                free                -> 244
                finish r
                free                -> 248
            """, "pages"),
            Case(roomy(SWA) | {"bigram": True}, """
                admit seed A41
                prefill seed 41
                request seed        -> C=40 E=35
                finish seed
                admit fork A22 B19  -> full=21 branch=21
                prefill fork 41
                request fork        -> C=21
                shape               -> 0+16t 16+5S ...
                admit next A22 C19  -> hit=21
            """, "fork"),
        ),
    ),
    Row(
        "S-59", "a match ends on a state; states are kept at grid positions and at branching points",
        (
            Case(STATES, """
                insert A8 state     -> present=0
                match A8            -> hit=8
                match A5 X1         -> hit=0 full=5
                shape               -> 0+5 5+3M
                admit r A5 X4
                prefill r 9 uncached
                request r           -> checkpoint=4
                admit s A3 X4
                prefill s 7 uncached
                request s           -> checkpoint=4     # less than 4 in common: the last of the grid
            """, "grid"),
            Case(STATES, """
                insert A4 state
                insert A4 state     -> present=4
                insert B4 state
                pool mamba          -> free=30 evictable=2
                evict mamba=1       -> full=4 mamba=1
                shape               -> 0+4M
                insert B8 state
                evict mamba=1       -> full=0 mamba=1
                shape               -> 0+4 4+4M
            """, "eviction"),
            Case(HYBRID | {"branching": False},
                 FORKS.format(branch="none", written=32, shape="0+22t 22+13t 35+1S 36+4SM 22+5t 27+1S 28+4SM", hit=0),
                 "fork", "reference"),
            Case(HYBRID,
                 FORKS.format(branch=22, written=20, shape="0+15t 15+5SM 20+2t 22+13t 35+1S 36+4SM", hit=20),
                 "fork", "ours"),
        ),
        differs="branching: the reference reports 22 and, for states, 20, and yet inserts to the last of the grid, "
                "so that the third request hits nothing; ours stores a state at 20 and inserts up to there",
    ),
)  # fmt: skip

"""S-30 to S-41 and S-48: requests and branching points. The seed is a prompt of stream A, served to its end."""

from __future__ import annotations

from tests.cache_core.scenarios.row import REFERENCE, SWA, Case, Row, roomy

ROOMY = {**roomy(SWA), "swa_free_interval_tokens": 1}
"""Pools of 512, and decode that frees behind its window with every token."""


def paged(page: int, window: int) -> dict[str, object]:
    """Return a roomy cache of other pages and another window."""
    return {**ROOMY, "page_size": page, "window": window}


SEED = """
admit seed A41
prefill seed 41
decode seed Z2
finish seed
"""

TWO_FORKS = """
serve A41
admit one A22 B19   -> branch=22
admit two A22 C19   -> branch=22
prefill one 41 uncached
prefill two 41 uncached
free                -> 389 425
"""

OPEN_BRANCH = """
serve A40
admit r A20 B10     -> branch=20
prefill r 30 uncached
finish r
shape               -> 0+20S 20+15t 35+1S 36+4S {tail}
match A20 B10       -> full={cached}
admit r A20 B10     -> hit={hit}
"""

ROWS = (
    Row(
        "S-30", "a fork of a served prompt leaves one live window where it branches",
        (Case(ROOMY, """
            admit seed A41
            prefill seed 41
            request seed        -> C=41 E=36
            shape               -> 0+36t 36+1S 37+4S
            locks               -> 1/0 1/0 1/1
            decode seed Z2
            windows seed        -> 36:43    # the tree's own up to C; the reference notes that as E=41
            finish seed
            admit fork A22 B19  -> hit=0 full=22 branch=22
            prefill fork 41
            request fork        -> C=22 E=36 branch=none row=41
            shape               -> 0+17t 17+5S ...
            locks               -> 1/0 1/1 ...
            pool swa            -> protected=5
            windows fork        -> 17:22 36:41
            finish fork
            shape               -> ... 22+14t 36+1S 37+4S
            admit second A22 C19 -> hit=22 branch=none
            prefill second 41
            request second      -> C=41
        """),),
    ),
    Row(
        "S-31", "a fork on pages as long as the window",
        (Case(paged(4, 4), """
            admit seed A41
            prefill seed 41
            request seed        -> C=40 E=36
            shape               -> 0+36t 36+4S
            decode seed Z2
            finish seed
            admit fork A22 B19  -> full=20 branch=20
            prefill fork 41
            request fork        -> C=20 E=36
            shape               -> 0+12t 12+8S ...
            admit second A22 C19 -> hit=20
        """),),
    ),
    Row(
        "S-32", "a fork on pages shorter than the window",
        (Case(paged(4, 6), """
            admit seed A41
            prefill seed 41
            request seed        -> C=40 E=32
            shape               -> 0+32t 32+8S
            decode seed Z2
            finish seed
            admit fork A22 B19  -> branch=20
            prefill fork 41
            request fork        -> C=20
            shape               -> 0+8t 8+12S ...
            admit second A22 C19 -> hit=20
        """, side="ours"),),
        unlike="window_span: whole pages that cover the window, as in 0.5.23; 0.5.20 has 0+12t 12+8S here, and "
               "with the same arithmetic the defect of S-60",
    ),
    Row(
        "S-33", "two forks admitted before either wrote back share the window of the first",
        (Case(ROOMY, TWO_FORKS + """
            prefill one 41
            free                -> 411 456
            prefill two 41
            free                -> 433 492
            locks               -> 2/0 2/2 ...
            shape               -> 0+17t 17+5S ...
            finish one two
            reusable            -> 512 512
        """),),
    ),
    Row(
        "S-34", "a fork of a running seed recovers the locked node",
        (Case(ROOMY, """
            admit seed A41
            prefill seed 41
            decode seed Z2
            admit fork A22 B19
            prefill fork 41
            compare fork seed 0:22 -> same
            shape               -> 0+17t 17+5S ...
            locks               -> 2/0 2/1 1/0 1/0 1/1
            finish fork seed
            reusable            -> 512 512
        """),),
    ),
    Row(
        "S-35", "a fork of a finished seed replaces the slots of the window alone",
        (Case(ROOMY, SEED + """
            keep seed A41
            admit fork A22 B19
            prefill fork 41
            compare fork seed 0:17  -> same
            compare fork seed 17:22 -> other
        """),),
    ),
    Row(
        "S-36", "retraction keeps what was written back",
        (
            Case(roomy(SWA, 128), """
                admit r A20
                prefill r 20
                decode r Z3
                retract r
                shape           -> 0+15t 15+1S 16+4S
                free            -> 108 123
            """, "written"),
            Case(roomy(SWA, 128), """
                admit r A20
                prefill r 20 uncached
                retract r
                shape           ->
                free            -> 128 128
            """, "not-written"),
        ),
    ),
    Row(
        "S-37", "a finish with an open branching point",
        (
            Case(ROOMY | REFERENCE, OPEN_BRANCH.format(tail="", cached=20, hit=20), side="reference"),
            Case(ROOMY, OPEN_BRANCH.format(tail="20+6S 26+4S", cached=30, hit=29), side="ours"),
        ),
        differs="finish_branch: the branch alone is kept and 10 tokens are lost, or branch and tail",
    ),
    Row(
        "S-38", "every chunk boundary leaves a window, and the first chunk that reaches the branch stops there",
        (Case(ROOMY, """
            serve A64
            admit r A28 B36     -> branch=28
            prefill r 16
            request r           -> C=16 E=11 branch=28
            prefill r 32
            request r           -> C=28 E=28 branch=none
            shape               -> 0+11t 11+5S 16+7t 23+5S ...
            prefill r 48
            request r           -> C=48 E=43
            prefill r 64
            request r           -> C=64 E=59
            windows r           -> 11:16 23:28 43:48 59:64
            finish r
            admit next A28 C36  -> hit=28
        """),),
    ),
    Row(
        "S-39", "a prompt that ends inside the seed branches before its last token",
        (Case(ROOMY, """
            serve A64
            admit r A30         -> branch=29
            prefill r 30
            request r           -> C=29 E=29
            shape               -> 0+24t 24+5S ...
            finish r
            shape               -> 0+24t 24+5S 29+1S 30+29t 59+1S 60+4S
            queries 30          -> 30=30
        """),),
    ),
    Row(
        "S-40", "a conversation hits its own tail",
        (Case(roomy(SWA), """
            admit turn A20
            prefill turn 20
            decode turn B6
            finish turn
            shape               -> 0+15t 15+1S 16+4S 20+2S 22+4S
            admit turn A20 B6 C5 -> hit=26
            prefill turn 31
            request turn        -> C=31 E=26
            match A20 B3 D4     -> hit=23 branch=none
        """),),
    ),
    Row(
        "S-41", "without freeing behind the window there is no gap, and more window slots are cached",
        (
            Case(ROOMY | {"free_behind_window": False}, """
                admit seed A41
                prefill seed 41
                request seed        -> E=0
                shape               -> 0+37S 37+4S
                finish seed
                admit fork A22 B19  -> hit=22 branch=none
                prefill fork 41
                finish fork
                pool swa            -> evictable=60
            """, "off"),
            Case(ROOMY, """
                serve A41
                admit fork A22 B19  -> hit=0 branch=22
                prefill fork 41
                finish fork
                pool swa            -> evictable=15
            """, "on"),
        ),
    ),
    Row(
        "S-48", "a request that never wrote back is live as a whole",
        (Case(SWA, """
            admit r A20
            prefill r 20 uncached
            decode r Z3
            finish r
            shape               -> 0+19S 19+4S
        """),),
    ),
)  # fmt: skip

"""S-11 to S-29: the sliding window under direct inserts, page 1 and window 4 unless said."""

from __future__ import annotations

from tests.cache_core.scenarios.row import SWA, Case, Row

BASE = """
insert A12 from=8
shape           -> 0+8t 8+4S
free            -> 244 252
"""

CHAIN = """
insert A2
insert A4
insert A6
insert A8
insert A10
"""

TWO_CHAINS = f"""
{CHAIN}
insert A12
insert B2
insert B4
insert B6
"""


TWO_BRANCHES = """
insert B4
insert B8
insert B12
insert B16
insert A4
insert A8
insert A12
insert A16
match A16
"""


def paged(page: int, window: int) -> dict[str, object]:
    """Return a cache of other pages and another window."""
    return {**SWA, "page_size": page, "window": window}


def cut(text: str, begin: int, shape: str) -> str:
    """A new leaf and how it is cut."""
    return f"insert {text} from={begin}\nshape -> {shape}"


def grown(begin: int, leaf: str, hit: str) -> str:
    """A leaf below live nodes, with windows from a frontier on."""
    return f"""
        insert A8
        insert A8 B4 from={begin}
        shape           -> 0+4S 4+4S {leaf}
        match A8 B4     -> {hit}
    """


def partly(length: int, begin: int, queries: str, expected: str) -> str:
    """A prompt whose windows start at a frontier, asked for in several lengths."""
    return f"insert A{length} from={begin}\nqueries {queries} -> {expected}"


ROWS = (
    Row(
        "S-11", "an insert recovers a tombstone with its own slots",
        (Case(SWA, BASE + """
            match A8            -> hit=0 full=8 branch=8
            insert A8 as=fresh  -> present=8 adopted=full:0-8,swa:0-8
            shape               -> 0+8S 8+4S
            match A8            -> hit=8 branch=none
            free                -> 244 244
            compare A8 fresh 0:8 -> same
        """),),
    ),
    Row(
        "S-12", "a locked tombstone keeps its Full slots and takes the window peers alone",
        (Case(SWA, BASE + """
            keep old A12
            lock leaf A12
            locks               -> 1/0 1/1
            pool full           -> protected=12
            pool swa            -> protected=4
            insert A8           -> present=8 adopted=swa:0-8
            compare A12 old 0:12 -> same
            shape               -> 0+8S 8+4S
            free                -> 244 244
            pool swa            -> evictable=8 protected=4
            unlock leaf
            pool full           -> evictable=12
            pool swa            -> evictable=12
        """),),
    ),
    Row(
        "S-13", "recovery starts at the newcomer's frontier",
        (
            Case(SWA, BASE + """
                insert A8 from=5
                shape           -> 0+5t 5+3S 8+4S
                queries 8       -> 8=0/8
            """, "5"),
            Case(SWA, BASE + """
                insert A8 from=4
                shape           -> 0+4t 4+4S 8+4S
                queries 8 7     -> 8=8 7=0/7
            """, "4"),
        ),
    ),
    Row(
        "S-14", "an insert without windows recovers nothing",
        (Case(SWA, BASE + """
            insert A12 from=8   -> present=12 adopted=none
            shape               -> 0+8t 8+4S
            free                -> 244 252
        """),),
    ),
    Row(
        "S-15", "the tree's own slots are no duplicates",
        (Case(SWA, BASE + """
            insert A12 owned=12 -> present=12 adopted=none
            shape               -> 0+8t 8+4S
            free                -> 244 252
        """),),
    ),
    Row(
        "S-16", "the window pool gives up the oldest node first, and the leaf as a whole",
        (Case(SWA, CHAIN + """
            evict swa=1     -> full=0 swa=2
            shape           -> 0+2t 2+2S 4+2S 6+2S 8+2S
            evict swa=1     -> full=0 swa=2
            shape           -> 0+2t 2+2t 4+2S 6+2S 8+2S
            evict swa=1     -> full=0 swa=2
            shape           -> 0+2t 2+2t 4+2t 6+2S 8+2S
            evict swa=1     -> full=0 swa=2
            shape           -> 0+2t 2+2t 4+2t 6+2t 8+2S
            evict swa=1     -> full=2 swa=2
            shape           -> 0+2t 2+2t 4+2t 6+2t
            evict swa=1     -> full=0 swa=0
        """),),
    ),
    Row(
        "S-17", "eviction takes whole nodes",
        (Case(SWA, CHAIN + """
            evict swa=3     -> swa=4
            shape           -> 0+2t 2+2t 4+2S 6+2S 8+2S
        """),),
    ),
    Row(
        "S-18", "a match renews one window and a page",
        (
            Case(SWA, TWO_CHAINS + """
                match A12
                drain swa   -> A0 A2 A4 B0 B2 B4 A6 A8 A10
            """, "A12"),
            Case(SWA, TWO_CHAINS + """
                match A12
                match B6
                drain swa   -> A0 A2 A4 A6 A8 A10 B0 B2 B4
            """, "B6"),
            Case(SWA, TWO_CHAINS + """
                match A12
                match B6
                match A4
                drain swa   -> A4 A6 A8 A10 B0 B2 B4 A0 A2
            """, "A4"),
        ),
    ),
    Row(
        "S-19", "an idle branch loses its last window, or what is before no end goes first",
        (
            Case(SWA, TWO_BRANCHES + """
                evict swa=16    -> full=4 swa=16
                shape           -> 0+4S 4+4S 8+4S 12+4S 0+4t 4+4t 8+4t
                match B16       -> hit=0 full=12 branch=12
                match A16       -> hit=16
            """, side="reference"),
            Case(SWA | {"swa_eviction": "tail_window_last"}, TWO_BRANCHES + """
                evict swa=16    -> full=0 swa=16
                shape           -> 0+4t 4+4S 8+4S 12+4S 0+4t 4+4t 8+4t 12+4S
                match B16       -> hit=16
                match A16       -> hit=16
            """, side="ours"),
        ),
        differs="swa_eviction: windows go by age alone, or those last that are before the end of a branch or a fork",
    ),
    Row(
        "S-20", "a leaf is live from the frontier on",
        (
            Case(SWA, grown(0, "8+4S", "hit=12 branch=none"), "0"),
            Case(SWA, grown(4, "8+4S", "hit=12 branch=none"), "4"),
            Case(SWA, grown(8, "8+4S", "hit=12 branch=none"), "8"),
            Case(SWA, grown(10, "8+2t 10+2S", "hit=8 branch=12"), "10"),
            Case(SWA, grown(12, "8+4t", "hit=8 branch=12"), "12"),
        ),
    ),
    Row(
        "S-21", "a live leaf ends in one window",
        (
            Case(SWA, cut("A4", 0, "0+4S"), "4"),
            Case(SWA, cut("A5", 0, "0+1S 1+4S"), "5"),
            Case(SWA, cut("A12", 0, "0+8S 8+4S"), "12"),
            Case(SWA, cut("A12", 2, "0+2t 2+6S 8+4S"), "12-2"),
            Case(paged(4, 6), cut("A24", 0, "0+16S 16+8S"), "paged-24"),
            Case(paged(4, 6), cut("A16", 0, "0+8S 8+8S"), "paged-16"),
        ),
    ),
    Row(
        "S-22", "a leaf behind the frontier is a tombstone",
        (Case(SWA, """
            insert A12 from=12
            shape           -> 0+12t
            free            -> 244 256
            queries 12      -> 12=0/12
        """),),
    ),
    Row(
        "S-23", "a hit needs a window of live tokens, or no gap at all",
        (Case(SWA, """
            insert A8
            insert A20 from=14
            shape           -> 0+4S 4+4S 8+6t 14+2S 16+4S
            queries 8 10 14 17 18 20 -> 8=8 10=8/10 14=8/14 17=8/17 18=18 20=20
        """),),
    ),
    Row(
        "S-24", "a gap in front rejects what is shorter than a window",
        (Case(SWA | {"window": 8}, """
            insert A3
            insert A6
            insert A9
            insert A12
            insert A15
            queries 3 6 9 12 15     -> 3=3 6=6 9=9 12=12 15=15
            evict swa=6             -> swa=6
            shape                   -> 0+3t 3+3t 6+3S 9+3S 12+3S
            queries 3 6 9 12 14 15  -> 3=0/3 6=0/6 9=0/9 12=0/12 14=14 15=15
        """),),
    ),
    Row(
        "S-25", "windows that are no multiple of the page",
        (
            Case(paged(4, 5), partly(16, 8, "16 12", "16=16 12=0/12"), "5-from-8"),
            Case(paged(4, 6), partly(16, 8, "16 12", "16=16 12=0/12"), "6-from-8"),
            Case(paged(4, 8), partly(16, 8, "16 12", "16=16 12=0/12"), "8-from-8"),
            Case(paged(4, 5), partly(16, 12, "16", "16=0/16"), "5-from-12"),
            Case(paged(4, 6), partly(16, 12, "16", "16=0/16"), "6-from-12"),
            Case(paged(4, 8), partly(16, 12, "16", "16=0/16"), "8-from-12"),
            Case(paged(4, 4), partly(16, 12, "16 12", "16=16 12=0/12"), "4-from-12"),
            Case(paged(4, 6), partly(24, 12, "24 20 16", "24=24 20=20 16=0/16"), "6-of-24"),
        ),
    ),
    Row(
        "S-26", "a leaf without windows is recovered by the next insert (upstream)",
        (
            Case(SWA, """
                insert A4
                insert A6 from=6
                shape           -> 0+4S 4+2t
                match A6        -> full=6 branch=6 hit=4
                insert A6
                match A6        -> hit=6 branch=none
            """, "page-1"),
            Case(paged(4, 4), """
                insert A4
                insert A8
                insert A12 from=12
                shape           -> 0+4S 4+4S 8+4t
                match A12       -> full=12 branch=12 hit=8
                insert A12
                match A12       -> hit=12 branch=none
            """, "page-4"),
        ),
    ),
    Row(
        "S-27", "a short window pool gives up windows and keeps the tree",
        (Case(SWA | {"full_slots": 64, "swa_slots": 16}, """
            insert A16
            free            -> 48 0
            allocate room 4
            shape           -> 0+12t 12+4S
            release room
            free            -> 48 12
        """),),
    ),
    Row(
        "S-28", "an unlocked leaf goes whole even for the window pool",
        (Case(SWA, """
            insert A4
            insert B4
            match A4
            evict swa=1     -> full=4 swa=4
            shape           -> 0+4S
            match A4        -> hit=4
        """),),
    ),
    Row(
        "S-29", "what a deleted leaf frees counts for both pools",
        (Case(SWA, """
            insert A8
            insert B8
            evict full=8 swa=8 -> full=8 swa=8
            match A8        -> hit=0 full=0
            match B8        -> hit=8
        """),),
    ),
)  # fmt: skip

"""The frozen rows that answer a request for the tree, and what is said above them."""

from __future__ import annotations

from typing import NamedTuple

from radixtop.tree.request import Mode


class TreeRow(NamedTuple):
    """One node as a row, or a chain of nodes of which each has but one child, `joined` of them after the first.

    A chain goes by the number of its last node, as that is the one that opens and closes. Tokens, reused and
    recomputed ones are those of the whole chain; hits, locks and times are those of its first node, which are the
    most; it is live where all of it is. `guides` has a bit per level down to the row's own, set where a later sibling
    follows on that level. What nobody tells of is None, or -1 for a time.
    """

    node: int
    level: int
    guides: int
    is_open: bool
    children: int
    label: str
    tokens: int
    subtree_tokens: int
    hits: int | None
    hit_tokens: int | None
    recomputed_tokens: int | None
    locks: int | None
    live: int
    copied: int
    created_at: int
    touched_at: int
    joined: int = 0
    is_match: bool = False


class Biggest(NamedTuple):
    """The branch from the root with the most tokens at and below it."""

    label: str
    subtree_tokens: int
    hits: int | None


class Standing(NamedTuple):
    """What a list amounts to, of a tree of `nodes` nodes and `tokens` tokens. Without `tells_use`, of use none.

    `listed` nodes belong to the list's kind, and have `amount` of `whole` between them: tokens held, or reused ones
    where it lists the most reused. The first `leading` of them, as many as it takes for half of the whole or as there
    are rows for, have `led`.
    """

    mode: Mode
    nodes: int
    tokens: int
    biggest: Biggest | None = None
    listed: int = 0
    amount: int = 0
    whole: int = 0
    leading: int = 0
    led: int = 0
    tells_use: bool = True


class TreePage(NamedTuple):
    """A window of rows: `rows[0]` is row `first` of `total`; `cursor_row` is -1 when node `cursor` is no row.

    `shape` repeats the request's, so that a late page can be told from a current one; `seek` as well: `cursor` is
    then the node that was found, or -1. `behind_ns` is how long ago the rows were put in order.
    """

    first: int
    total: int
    rows: tuple[TreeRow, ...]
    cursor: int
    cursor_row: int
    standing: Standing
    shape: tuple[object, ...]
    seek: int = 0
    behind_ns: int = 0

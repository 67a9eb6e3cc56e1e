"""Which prefix of the tree is the biggest, and what its other lists amount to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from probes.plural import plural
from radixtop.render.lines import Line, Span, crop, width_of
from radixtop.render.units import count, grouped, share
from radixtop.tree.request import OF_USE, QUIET_NS
from radixtop.tree.rows import Standing

if TYPE_CHECKING:
    from radixtop.messages import Frame

_NOTHING: list[Span] = [("the cache holds nothing", "dim")]
_USE_UNTOLD: list[Span] = [("- this source does not tell what is used", "dim")]
_UNKNOWN: Line = (("- what the cache holds is not known", "warn"),)
_UNTOLD: Line = (("- this source does not tell what its cache holds", "dim"),)
_LEAST = 3
"""So many parts of the biggest are kept where there is too little room, of others two: then the first is cropped, but
not below `_LABEL` cells."""
_LABEL = 8
_QUIET = f"{QUIET_NS // 1_000_000_000} s"


def answer(standing: Standing, width: int) -> Line:
    """Return one line that says which prefix is the biggest, or what the list of a mode amounts to."""
    is_known = standing.tells_use or standing.mode not in OF_USE
    parts = (_WORDS[standing.mode](standing) if is_known else _USE_UNTOLD) if standing.nodes else _NOTHING
    while len(parts) > (_LEAST if standing.mode == "tree" else 2) and width_of(parts) > width:
        parts = parts[:-1]
    spare = width - width_of(parts)
    return tuple(
        (crop(text, max(_LABEL, cell_len(text) + spare)), role) if role == "key" and spare < 0 else (text, role)
        for text, role in parts
    )


def headline(frame: Frame, width: int) -> Line | None:
    """Return the biggest prefix of a frame that was asked for it."""
    standing = frame.answer(Standing)
    if standing is None:
        return _UNKNOWN if _is_unknown(frame) else None
    return _UNTOLD if not standing.nodes and _tells_of_no_tree(frame) else answer(standing, width)


def answer_of(frame: Frame, standing: Standing, width: int) -> Line:
    """Return what a list amounts to; of a tree without nodes only where its source knows that it has none."""
    return _UNKNOWN if not standing.nodes and _is_unknown(frame) else answer(standing, width)


def _is_unknown(frame: Frame) -> bool:
    """Say whether the source of a frame lives and does not know its tree."""
    snapshot = frame.snapshot
    return snapshot is not None and snapshot.source.state == "live" and not snapshot.source.tree_known


def _tells_of_no_tree(frame: Frame) -> bool:
    """Say whether the source of a frame never tells what its cache holds."""
    from probes.builtin.tree_shape import TreeShapeSample

    snapshot = frame.snapshot
    return snapshot is not None and snapshot.source.state == "live" and snapshot.get(TreeShapeSample) is None


def _tree(standing: Standing) -> list[Span]:
    biggest = standing.biggest
    if biggest is None:
        return [("no prefix yet", "dim")]
    spans: list[Span] = [
        ("biggest: ", "label"),
        (biggest.label, "key"),
        (f" · {count(biggest.subtree_tokens)} tokens", "value"),
        (f" ({_part(biggest.subtree_tokens, standing.tokens)})", "value"),
    ]
    if biggest.hits is not None:
        spans.append((f" · reused by {plural(biggest.hits, 'request')}", "device" if biggest.hits else "dim"))
    return spans


def _big(standing: Standing) -> list[Span]:
    held = _part(standing.led, standing.tokens)
    return [
        (f"{plural(standing.leading, 'node')} of {grouped(standing.listed)} ", "key"),
        (f"{_verb(standing.leading, 'hold')} {held} of all tokens", "value"),
    ]


def _hot(standing: Standing) -> list[Span]:
    if not standing.listed:
        return [("nothing was reused yet", "warn"), (" since these nodes were first seen", "dim")]
    gave = _part(standing.led, standing.whole)
    return [
        (f"{plural(standing.leading, 'node')} of {grouped(standing.listed)} reused ", "key"),
        (f"{_verb(standing.leading, 'account')} for {gave} of all reused tokens", "value"),
        (f" · {count(standing.whole)} since they were first seen", "label"),
    ]


def _cold(standing: Standing) -> list[Span]:
    if not standing.listed:
        return [(f"everything was used in the last {_QUIET}, or is locked", "good")]
    return [
        (f"{plural(standing.listed, 'node')} with {_part(standing.amount, standing.tokens)} of all tokens ", "key"),
        (f"{_verb(standing.listed, 'lie')} unused for {_QUIET} or longer", "value"),
        (f" · {count(standing.amount)} tokens", "label"),
    ]


def _dead(standing: Standing) -> list[Span]:
    if not standing.listed:
        return [(f"no branch older than {_QUIET} lies there without ever being reused", "good")]
    held = _part(standing.amount, standing.tokens)
    return [
        (f"{plural(standing.listed, 'branch', 'branches')} with {held} of all tokens ", "key"),
        (f"{'was' if standing.listed == 1 else 'were'} never reused", "value"),
        (f" · {count(standing.amount)} tokens", "label"),
    ]


_WORDS = {"tree": _tree, "big": _big, "hot": _hot, "cold": _cold, "dead": _dead}


def _part(amount: int, whole: int) -> str:
    return share(amount / whole if whole else None)


def _verb(number: int, verb: str) -> str:
    return verb + ("s" if number == 1 else "")

"""The help screen as lines: keys that work here, what signs and words mean, keys of other views."""

from __future__ import annotations

from collections.abc import Sequence

from radixtop.render.flow import hanging
from radixtop.render.lines import BLANK, Line, Role

_SIGNS: tuple[tuple[str, Role, str], ...] = (
    ("9 0 M", "key", "above, a view whose name has no room; its key or a click leads there"),
    ("device hit", "device", "tokens that a request found and could use as they are"),
    ("· host", "host", "the part of the hit that was loaded back from host memory"),
    ("unused", "label", "found in host memory and not loaded: no room, or too few tokens"),
    ("full hit", "full", "tokens that the tree still knows, whether usable or not"),
    ("gap", "full", "full hit that was no hit: recomputed, a window or state was gone"),
    ("branching", "full", "◇ a gap was met  ◆ what it lacked is kept now  × and gone again"),
    ("below grid", "label", "the part of gaps that lies where no state is ever kept"),
    ("█ prot", "protected", "slots of nodes that a running request holds"),
    ("▓ held", "held", "slots of requests that are not in the tree yet"),
    ("▒ evic", "evictable", "slots of nodes that may be evicted"),
    ("· free", "label", "slots that nobody uses"),
    ("F S M", "device", "on the device: the node's data of Full, Swa (window), Mamba"),
    ("f s m", "host", "in host memory alone; ↓ on its way there"),
    ("†", "tombstone", "on neither: a window has left the node, or no state was kept"),
    ("tombstones", "tombstone", "nodes on the device whose window has left it"),
    ("host only", "host", "nodes with nothing on the device and a copy in host memory"),
    ("lock", "protected", "receipts held on the node or below it"),
    ("█ ▓ ▒ × ·", "label", "a prompt: hit on the device, on the host, window gone, evicted before, first seen"),
    ("▫ ?", "label", "of it: found on the host and not loaded; not told, or not yet"),
    ("in flight", "accent", "missed, for another request was computing the same tokens"),
    ("deferrals", "label", "who was put off, pass by pass, for a prefix that another request computes"),
    ("fallbacks", "label", "passes with too many waiting for their schedule: first come, first served"),
    ("idle, age", "dim", "since the last use; since the node was first seen"),
    ("▼ ▾", "bad", "on the timeline: where the hit rate fell most; where else it fell"),
    ("▾ ▸ ·", "accent", "an open node, a closed node with +children, a leaf"),
    ("n nodes", "dim", "so many nodes, each the only child of the one before, in one row"),
    ("hits▾ ▴", "accent", "what rows are sorted by: the most first, or the least"),
    ("~", "warn", "in a page map: a cell whose pages differ"),
    ("cold, dead", "label", "unlocked and unused for 60 s; a branch that no request ever reused"),
    ("● ◆ ◇ ?", "good", "a rank is known: complete; repaired from the replay; partial, since when; unsure"),
    ("▶ !", "accent", "the rank whose tree is shown; a rank with something to say, see below the rows"),
    ("Σ", "label", "told by a server for all its ranks at once"),
    ("< >", "label", "a figure of which only a bound is known: of a sum, not every rank told its part"),
    ("█ ▓ ▒ ░ ·", "label", "of a rank's tokens, those that another has, too: 75% or more, 50%, 25%, less, none"),
    ("alone", "device", "of a rank's tokens, those that no other has"),
    ("-", "dim", "not known; a 0 is a counted 0"),
)


def help_lines(keys: Sequence[tuple[str, str, str]], places: Sequence[str], width: int) -> list[Line]:
    """Return the lines for keys given as (place, sign, help), those of some places before the signs."""
    near = [key for place in places for key in keys if key[0] == place]
    far = [key for key in keys if key[0] not in places]
    signs: list[Line] = []
    for sign, role, text in _SIGNS:
        signs += hanging(((f"  {sign:<10} ", role),), (text, "text"), width)
    return [*_keys(near, width), BLANK, (("signs and words", "head"),), *signs, BLANK, *_keys(far, width)]


def _keys(keys: Sequence[tuple[str, str, str]], width: int) -> list[Line]:
    lines: list[Line] = []
    place = ""
    for key_place, sign, text in keys:
        if key_place != place:
            place = key_place
            lines += [BLANK] * bool(lines) + [((f"keys {place if place == 'anywhere' else f'in {place}'}", "head"),)]
        lines += hanging(((f"  {sign:<9}", "key"),), (text, "text"), width)
    return lines

"""Lays the icicle out when it may have changed, and says of every frame what is known of its node.

On a large tree a layout is followed by a rest, so that it takes at most a twentieth of the thread's time; in between
the last one is shown, with its age. A change of the question is answered at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter_ns
from typing import TYPE_CHECKING

from probes.mirror import Mirror
from probes.mirroring.columns import ROOT
from probes.mirroring.node import MirrorNode
from radixtop.budget import Rest
from radixtop.flame.layout import FOLD, Grove, Place, layout, parting
from radixtop.flame.page import Facts, FlamePage, FlameQuestion, FrameBox, Holders
from radixtop.flame.weighing import Weighing, known_weights
from radixtop.naming import name_of
from radixtop.question import Answerer
from radixtop.render.lines import clean

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from radixtop.source import Source

CALM_NS = 3_000_000_000
"""Frames stay where they are for so long, so that one can read them; a step to another moment lays them out anew.

Where the moment stands still, the time of the one who reads counts."""

NOTABLE = 100
"""A prefix that holds the whole's share by this number is one of its holders."""

NAMED_CELLS = 8
"""The text of narrower frames is not looked for: there is no room for it."""

NOBODY = Holders(0, 0, "", 0, ROOT, "")
"""Nobody holds anything, as far as is known."""


class FlameAnswerer(Answerer[FlameQuestion]):
    """Answers which frames are on screen. `clock` returns nanoseconds."""

    def __init__(self, clock: Callable[[], int] = perf_counter_ns) -> None:
        self._clock = clock
        self._weighing = Weighing(clock)
        self._page: FlamePage | None = None
        self._hues = Hues()
        self._version = self._text_version = -1
        self._speaks = False
        self._weighed_at = self._built_at = self._laid_out_for = 0
        self._rest = Rest()

    def answer(self, source: Source, snapshot: Snapshot, question: FlameQuestion) -> FlamePage | None:
        """Return the frames; None without a tree."""
        mirror = source.mirror
        if mirror is None:
            return None
        page = self._page
        grove, version, weighed_at = self._weighing.grove(mirror, question.weight, snapshot.now)
        began = self._clock()
        is_asked = page is None or page.question != question or _root(mirror, question) != page.way[-1][0]
        is_asked |= self._speaks != mirror.texts.is_on
        is_changed = version != self._version or mirror.texts.version != self._text_version
        is_rested = self._rest.is_over(began) or (page is not None and page.is_weighing)
        calm_ns = max(abs(snapshot.now - self._laid_out_for), began - self._built_at)
        is_rested &= page is None or page.is_weighing or calm_ns >= CALM_NS
        if page is None or is_asked or (is_changed and is_rested):
            page = self._page = build(mirror, grove, question, self._hues)
            self._laid_out_for = snapshot.now
            self._version, self._weighed_at, self._built_at = version, weighed_at, began
            self._text_version, self._speaks = mirror.texts.version, mirror.texts.is_on
            ended = self._clock()
            self._rest.begin(ended, ended - began)
        behind_ns = 0 if mirror.version == self._version or page.is_weighing else began - self._weighed_at
        weights = known_weights(snapshot)
        return replace(page, now=snapshot.now, weights=weights, behind_ns=max(0, behind_ns))


def build(mirror: Mirror, grove: Grove | None, question: FlameQuestion, hues: Hues) -> FlamePage:
    """Return the page of a grove as it is now; without a grove, one that says that it is being weighed."""
    root = _root(mirror, question)
    rows = layout(grove, root, question.width, question.rows) if grove is not None else []
    hidden = mirror.nodes[root].height - len(rows) if len(rows) == question.rows else 0
    return FlamePage(
        question=question,
        weights=(),
        way=_way(mirror, root),
        total=grove.total(root) if grove is not None else 0,
        whole=grove.total(ROOT) if grove is not None else 0,
        rows=_boxes(mirror, rows, hues),
        holders=holders(mirror, grove, root) if grove is not None else NOBODY,
        hidden_levels=max(0, hidden),
        nodes=len(mirror.nodes) - 1,
        now=0,
        is_weighing=grove is None,
    )


def holders(mirror: Mirror, grove: Grove, root: int) -> Holders:
    """Return who holds the weight below a node, or below the one further down that nearly everything passes."""
    whole = grove.total(root)
    node, heavy = parting(grove, root, max(1, -(-whole // NOTABLE)))
    heaviest, most = heavy[0] if heavy else (-1, 0)
    names = [name_of(mirror, mirror.nodes[number]) if number >= 0 else "" for number in (heaviest, node)]
    return Holders(len(heavy), sum(total for _, total in heavy), names[0], most, node, names[1])


def _root(mirror: Mirror, question: FlameQuestion) -> int:
    """Return the last of the zoomed nodes that is still there."""
    return next((node for node in reversed(question.zooms) if node in mirror.nodes), ROOT)


def _way(mirror: Mirror, root: int) -> tuple[tuple[int, str], ...]:
    way: list[tuple[int, str]] = []
    node: MirrorNode | None = mirror.nodes[root]
    while node is not None and len(way) < 64:
        way.append((node.id, name_of(mirror, node) if node.id != ROOT else "all"))
        node = node.parent
    return tuple(reversed(way))


def _boxes(mirror: Mirror, rows: list[list[Place]], hues: Hues) -> tuple[tuple[FrameBox, ...], ...]:
    """Return the frames with what is known of their nodes; hues go by namespace where there are several."""
    top = [mirror.nodes[place.node] for place in rows[1] if place.node != FOLD] if len(rows) > 1 else []
    by_namespace = len({node.namespace for node in top}) > 1
    branch_hues = hues.of([node.namespace if by_namespace else node.id for node in top])
    boxes: list[tuple[FrameBox, ...]] = []
    for depth, row in enumerate(rows):
        done: list[FrameBox] = []
        for i, place in enumerate(row):
            node = mirror.nodes.get(place.node)
            hue = boxes[-1][place.parent].hue if depth > 1 else branch_hues[i] if depth and i < len(top) else 0
            done.append(FrameBox(*place, hue, None if node is None else _facts(mirror, node, place.cells)))
        boxes.append(tuple(done))
    return tuple(boxes)


class Hues:
    """Gives branches or namespaces numbers of colours: a new one the next after its neighbour's, which it keeps."""

    def __init__(self) -> None:
        self._given: dict[int, int] = {}

    def of(self, keys: Sequence[int]) -> list[int]:
        """Return the hues of keys from left to right; those of others are forgotten."""
        given: dict[int, int] = {}
        last = -1
        for key in keys:
            last = given.setdefault(key, self._given.get(key, last + 1))
        self._given = given
        return [given[key] for key in keys]


def _facts(mirror: Mirror, node: MirrorNode, cells: int) -> Facts:
    return Facts(
        label="all"
        if node.id == ROOT
        else name_of(mirror, node)
        if cells >= NAMED_CELLS
        else clean(mirror.describe(node)),
        namespace=clean(mirror.namespaces.get(node.namespace, "")),
        start=node.start,
        length=node.length,
        subtree_tokens=node.subtree_tokens,
        hits=mirror.told(node.hits),
        hit_tokens=mirror.told(node.hit_tokens),
        recomputed_tokens=mirror.told(node.recomputed_tokens),
        locks=node.locks,
        live=node.live,
        copied=node.copied,
        touched_at=node.touched_at if mirror.tells_use else -1,
        lacks_state=node.id != ROOT and mirror.lacks_state(node),
    )

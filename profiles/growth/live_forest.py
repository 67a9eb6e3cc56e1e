"""Takes the forest of a cache that still runs from its mirror."""

from __future__ import annotations

import numpy as np

from probes.mirror import Mirror
from probes.plausible import tokens_in
from profiles.columns import product, untrue
from profiles.forest import Forest
from profiles.growth.holdings import Components, holdings
from profiles.growth.node_columns import node_columns
from profiles.growth.planting import Content, SourceNames, plant
from profiles.prices import Prices

_NO_PRICES = Prices()


def from_mirror(mirror: Mirror, title: str = "", prices: Prices = _NO_PRICES) -> Forest:
    """Return the forest of a running cache; call it on the thread that ticks.

    What was evicted and what operations took is unknown there: those weights are missing. Hits and gaps are those
    of the nodes that are in the tree, since the mirror knows them. Raises RecordingError when nodes cannot be true.
    """
    nodes = node_columns(mirror)
    ends = nodes.starts + nodes.lengths
    if not tokens_in(int(nodes.starts.min(initial=0)), int(ends.min(initial=0)), int(ends.max(initial=0))):
        raise untrue()
    own = {
        **holdings(nodes.live, nodes.lengths, Components(mirror.components), prices),
        "hits": nodes.hit_tokens,
        "recomputed": nodes.recomputed_tokens,
    }
    if prices.prefill_ns_per_token:
        own["saved_ns"] = product(own["hits"], prices.prefill_ns_per_token)
    components = mirror.components or tuple(map(mirror.component_name, range(mirror.census.components())))
    content = Content(
        parents=nodes.parents,
        keys=nodes.keys,
        ends=ends,
        namespaces=nodes.namespaces,
        present=np.asarray(nodes.live | nodes.copied),
        segments=nodes.segments,
        own=own,
    )
    names = SourceNames(dict(mirror.namespaces), dict(mirror.labels), components, title)
    return plant(content, (), names)

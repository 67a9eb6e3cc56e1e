"""What nodes go by on a screen: how their text begins where that is known and wanted, else what describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radixtop.printable import clean, one_line

if TYPE_CHECKING:
    from probes.mirror import Mirror
    from probes.mirroring.node import MirrorNode


def name_of(mirror: Mirror, node: MirrorNode) -> str:
    """Return what a node goes by, in one printable line. Text that is not known yet is looked for meanwhile."""
    text = one_line(mirror.texts.beginning(node.id, node.start)) if mirror.texts.is_on else ""
    return text or clean(mirror.describe(node))

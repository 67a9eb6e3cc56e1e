"""Who makes the text of what is watched, by the names of the targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from probes.engines.access import Access, Address
from probes.engines.http import HttpClient
from probes.fleet.texts import DecodedFleetTexts
from probes.text import TEXT_SOURCES, TextSource
from probes.text_options import TextOptions
from probes.texts.tokenizer import TokenizerText
from radixtop.engine_target import EngineTarget, NetworkTarget


def texts_of(
    targets: Sequence[NetworkTarget], access: Access, options: TextOptions | None
) -> DecodedFleetTexts | None:
    """Return what the nodes of some targets say, None where nobody wants that."""
    return None if options is None else DecodedFleetTexts(_sources(targets, access, options))


def _sources(
    targets: Sequence[NetworkTarget], access: Access, options: TextOptions
) -> dict[str, Callable[[], TextSource]]:
    """Return one source for all, or for each server itself: it knows its own tokens."""
    if options.tokenizer is not None:
        local = partial(TokenizerText, options.tokenizer)
        return {str(target): local for target in targets}
    if options.engine is not None and options.address is not None:
        named = partial(_asking, options.engine, options.address, access)
        return {str(target): named for target in targets}
    servers = (target for target in targets if isinstance(target, EngineTarget))
    return {str(server): partial(_asking, server.engine, server.address, access) for server in servers}


def _asking(engine: str, address: Address, access: Access) -> TextSource:
    return TEXT_SOURCES.load(engine)(HttpClient(address, access))

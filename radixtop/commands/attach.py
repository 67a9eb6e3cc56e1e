"""`radixtop attach`: watch a cache or servers that run already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from probes.engines.access import DEADLINE_S
from radixtop import engine_access as access_flag
from radixtop import options as flag
from radixtop import text_flags as text_flag
from radixtop.command import command_app
from radixtop.engine_target import (
    NetworkTarget,
    check_no_file,
    is_network_target,
    network_targets_of,
    title_of,
    words_of,
)
from radixtop.errors import UsageError
from radixtop.settings.flags import with_settings
from radixtop.settings.setting import Settings
from radixtop.target import is_server, is_target

if TYPE_CHECKING:
    from probes.text_options import TextOptions
    from radixtop.session import Session

app = command_app()

Headless = Annotated[
    bool,
    typer.Option("--headless", help="No screen: a report at the end, at --duration or ctrl-c; one moment: --once."),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="That report as one JSON document, at --duration or ctrl-c; one moment: --once."),
]

_SHOWN = 80


@app.command()
@with_settings
def attach(
    target: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TARGET ...]",
            help="PID, shm:PID or shm:PID-RANK; sglang://HOST:PORT, vllm://HOST:PORT, tcp://HOST:PORT for KV events "
            "alone, or the FILE of saved ones, and of these several. Unless told, the only process that publishes.",
        ),
    ] = None,
    headless: Headless = False,
    json: Json = False,
    once: flag.Once = False,
    watch: flag.Watch = False,
    duration: flag.Duration = None,
    prometheus: flag.Prometheus = None,
    api_key: access_flag.ApiKey = None,
    api_key_file: access_flag.ApiKeyFile = None,
    ca_file: access_flag.CaFile = None,
    insecure: access_flag.Insecure = False,
    client_cert: access_flag.ClientCert = None,
    client_key: access_flag.ClientKey = None,
    timeout: access_flag.Timeout = DEADLINE_S,
    text: text_flag.Text = False,
    tokenizer: text_flag.Tokenizer = None,
    text_from: text_flag.TextFrom = None,
    *,
    settings: Settings,
) -> int:
    """Watch the cache of a process, or those of servers, that run already.

    A server is an SGLang or a vLLM: its KV events make the tree, its metrics the figures; radixtop doctor TARGET says
    what of that it offers, and how to switch on the rest. A process is one that called radixtop.attach(cache), or the
    one that started it. Neither is disturbed, and both live on. With --prometheus and no terminal, metrics are served
    until it is interrupted. With --text, nodes of a server go by what they say. Of several servers or ranks one is
    followed, and enter in the view fleet follows another; without a screen, one that is not there is exit code 1.

    Example: radixtop attach 4711, or radixtop attach sglang://gpu1:30000 sglang://gpu2:30000
    """
    from radixtop.metrics.prometheus import served_at
    from radixtop.screenless.telling import Shown, Telling, tell_of
    from radixtop.screenless.unattended import Unattended, is_unattended, report_watch
    from radixtop.watch import watch_network, watch_target

    telling = Telling.asked(once, watch, json, headless, prometheus is not None)
    without_screen = not telling and is_unattended(headless or json, prometheus)
    if duration is not None and not (without_screen or telling):
        raise UsageError("--duration does nothing without --headless", "add that, or leave it out")
    token = access_flag.token_of(api_key, "--api-key")
    given = access_flag.AccessFlags(token, api_key_file, ca_file, insecure, client_cert, client_key, timeout)
    network = _network_targets(target or ())
    told_by = text_flag.text_options_of(text_flag.TextFlags(text, tokenizer, text_from), network)
    if not (telling or without_screen):
        if network:
            return watch_network(network, access_flag.access_of(given), settings, prometheus, told_by)
        return watch_target(_first(target), settings, prometheus)
    with served_at(prometheus) as metrics:
        name, session = _network_session(network, given, told_by) if network else _session(_first(target))
        if telling:
            return tell_of(session, metrics, telling, Shown(metrics.titled(name), settings, duration))
        return report_watch(session, metrics, Unattended(json, duration))


def _network_targets(texts: Sequence[str]) -> tuple[NetworkTarget, ...]:
    """Return what is watched over a network, nothing for a cache of this machine.

    Raises UsageError for both at once, for several caches of this machine, and for a file of anything else.
    """
    words = words_of(texts)
    local = [word for word in words if not is_network_target(word)]
    for word in local:
        if not (is_target(word) or is_server(word)):
            check_no_file(word)
    if not local:
        return network_targets_of(texts) if texts else ()
    if len(words) > len(local):
        hint = "watch that one by itself; several are servers: sglang://, vllm:// or tcp://"
        raise UsageError(f"{local[0][:_SHOWN]!r} is a cache of this machine, others are not", hint)
    if len(local) > 1:
        hint = "watch one of them; several at once are servers: sglang://, vllm:// or tcp://"
        raise UsageError(f"{len(local)} caches of this machine are named", hint)
    return ()


def _first(texts: Sequence[str] | None) -> str | None:
    return texts[0] if texts else None


def _session(target: str | None) -> tuple[str, Session]:
    from radixtop.session import attach as attach_to
    from radixtop.target import only_target, target_of

    name = str(only_target() if target is None else target_of(target))
    return name, attach_to(name)


def _network_session(
    targets: Sequence[NetworkTarget], given: access_flag.AccessFlags, text: TextOptions | None
) -> tuple[str, Session]:
    from radixtop.network_session import NetworkSession

    return title_of(targets), NetworkSession(targets, access_flag.access_of(given), text)

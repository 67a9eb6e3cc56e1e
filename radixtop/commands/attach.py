"""`radixtop attach`: watch the cache of a process or of a server that runs already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from probes.engines.access import DEADLINE_S
from radixtop import engine_access as access_flag
from radixtop import options as flag
from radixtop import text_flags as text_flag
from radixtop.command import command_app
from radixtop.engine_target import NetworkTarget, is_network_target, network_target_of
from radixtop.errors import UsageError
from radixtop.settings.flags import with_settings
from radixtop.settings.setting import Settings

if TYPE_CHECKING:
    from probes.text import TextOptions
    from radixtop.session import Session

app = command_app()


@app.command()
@with_settings
def attach(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[TARGET]",
            help="PID, shm:PID or shm:PID-RANK; sglang://HOST:PORT, vllm://HOST:PORT, or tcp://HOST:PORT for KV "
            "events alone. Unless told, the only process of this machine that publishes.",
        ),
    ] = None,
    headless: flag.Headless = False,
    json: flag.Json = False,
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
    """Watch the cache of a process or of a server that runs already.

    A server is an SGLang or a vLLM: its KV events make the tree, its metrics the figures; radixtop doctor TARGET says
    what of that it offers, and how to switch on the rest. A process is one that called radixtop.attach(cache), or the
    worker of a `radixtop live`, which that may stand for. Neither is disturbed, and both live on. A PID of no such
    process is answered with the targets that there are. With --prometheus and where there is no terminal, metrics are
    served without a screen until it is interrupted. With --text, nodes of a server go by what they say.

    Example: radixtop attach 4711, or radixtop attach sglang://127.0.0.1:30000
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
    network = network_target_of(target) if target is not None and is_network_target(target) else None
    told_by = text_flag.text_options_of(text_flag.TextFlags(text, tokenizer, text_from), [network] if network else [])
    if not (telling or without_screen):
        if network is not None:
            return watch_network(network, access_flag.access_of(given), settings, prometheus, told_by)
        return watch_target(target, settings, prometheus)
    with served_at(prometheus) as metrics:
        name, session = _session(target) if network is None else _network_session(network, given, told_by)
        if telling:
            return tell_of(session, metrics, telling, Shown(metrics.titled(name), settings, duration))
        return report_watch(session, metrics, Unattended(json, duration))


def _session(target: str | None) -> tuple[str, Session]:
    from radixtop.session import attach as attach_to
    from radixtop.target import only_target, target_of

    name = str(only_target() if target is None else target_of(target))
    return name, attach_to(name)


def _network_session(
    target: NetworkTarget, given: access_flag.AccessFlags, text: TextOptions | None
) -> tuple[str, Session]:
    from radixtop.network_session import NetworkSession
    from radixtop.watch import titled

    return titled(target, text), NetworkSession([target], access_flag.access_of(given), text)

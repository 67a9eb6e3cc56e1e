"""What servers and ranks are called on screen: as short as tells them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from probes.fleet.figures import Prefix, RankName
from probes.scrapes.figures import SERVER

_HEX_DIGITS = (1 << 64) - 1
_LONG = 12
"""What servers have in common at their beginnings is left out when it is longer than this."""


class Names:
    """Short names of ranks, `gpu1/3` for rank 3 of the server gpu1; of a server with one rank, its own name."""

    def __init__(self, ranks: Iterable[RankName]) -> None:
        names = [*dict.fromkeys(ranks)]
        servers = [*dict.fromkeys(name.server for name in names)]
        self._servers = dict(zip(servers, shortened(servers), strict=True))
        self._ranks = Counter(name.server for name in names if name.rank != SERVER)

    def server(self, server: str) -> str:
        """Return the name of a server."""
        return self._servers.get(server, server)

    def short(self, name: RankName) -> str:
        """Return the name of a rank for a table."""
        server = self._servers.get(name.server, name.server)
        if self._is_alone(name):
            return server
        return f"rank {name.rank}" if len(self._servers) == 1 else f"{server}/{name.rank}"

    def spoken(self, name: RankName) -> str:
        """Return the name of a rank for a sentence."""
        server = self._servers.get(name.server, name.server)
        if self._is_alone(name):
            return server
        return f"rank {name.rank}" if len(self._servers) == 1 else f"rank {name.rank} of {server}"

    def _is_alone(self, name: RankName) -> bool:
        return name.rank == SERVER or self._ranks[name.server] <= 1


def whole(name: RankName) -> str:
    """Return the name of a rank with its server as it was asked for."""
    return name.server if name.rank == SERVER else f"{name.server} rank {name.rank}"


def numbers(names: Sequence[RankName]) -> list[int]:
    """Return what heads the columns of ranks: of one server their own numbers, else their places, from 1 on."""
    return [name.rank for name in names] if is_one_server(names) else [*range(1, len(names) + 1)]


def is_one_server(names: Sequence[RankName]) -> bool:
    """Say whether all ranks are of the same server, so that a number tells which is meant."""
    return len({name.server for name in names}) == 1


def hex_of(prefix: Prefix) -> str:
    """Return the name of a prefix: what stands for its beginning, as 16 hexadecimal digits."""
    return f"{prefix.name & _HEX_DIGITS:016x}"


def shortened(servers: Sequence[str]) -> list[str]:
    """Return names of servers without what all of them share: engine, host or port, domain, a long beginning."""
    parted = [_parts(server) for server in servers]
    if len(servers) < 2:
        return [place for _, place in parted]
    if len({scheme for scheme, _ in parted}) > 1:
        return [*servers]
    places = [place for _, place in parted]
    hosts, ports = zip(*(place.rpartition(":")[::2] for place in places), strict=True)
    if len({*hosts}) == 1 and hosts[0]:
        return [f":{port}" for port in ports]
    if len({*ports}) > 1 or not all(hosts):
        return _without_beginning(places)
    return _without_beginning(_without_domain(hosts))


def _parts(server: str) -> tuple[str, str]:
    scheme, found, place = server.partition("://")
    return (scheme, place) if found else ("", server)


def _without_domain(hosts: Sequence[str]) -> Sequence[str]:
    """Return hosts without the domain that all of them are in; addresses have none."""
    labels = [host.split(".") for host in hosts]
    if any(not host or host.replace(".", "").isdigit() or ":" in host for host in hosts):
        return hosts
    shared = 0
    while all(len(each) > shared + 1 for each in labels) and len({each[-1 - shared] for each in labels}) == 1:
        shared += 1
    return [".".join(each[: len(each) - shared]) for each in labels]


def _without_beginning(names: Sequence[str]) -> list[str]:
    """Return names without a long beginning that is the same, cut behind a sign between words."""
    first, last = min(names), max(names)
    length = next((i for i, letter in enumerate(first) if last[i : i + 1] != letter), len(first))
    while length and first[length - 1] not in "-_.:/":
        length -= 1
    return [f"…{name[length:]}" for name in names] if length > _LONG else [*names]

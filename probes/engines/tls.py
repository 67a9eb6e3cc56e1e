"""Whom to trust over TLS, and whether a port speaks it at all."""

from __future__ import annotations

import ssl
from contextlib import closing

from probes.engines.access import Access, Address
from probes.engines.connection import Deadline, connect
from probes.engines.errors import UntrustedError

_HANDSHAKE_S = 0.5


def context_of(access: Access) -> ssl.SSLContext:
    """Return whom to trust and who we are. Raises UntrustedError for files that hold no certificate."""
    try:
        context = ssl.create_default_context(cafile=access.ca_file)
    except OSError as error:
        raise _unusable(f"--ca-file {access.ca_file}", error) from None
    if access.client_certificate is not None:
        try:
            # A key that wants a password is refused: nobody is there to type one.
            context.load_cert_chain(access.client_certificate, access.client_key, password=lambda: "")
        except OSError as error:
            raise _unusable(f"--client-cert {access.client_certificate}", error) from None
    if access.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def speaks_tls(address: Address, deadline: Deadline) -> bool:
    """Say whether a handshake of TLS gets an answer; nothing else is sent, and nobody trusted."""
    context = context_of(Access(insecure=True))
    try:
        within = Deadline(min(_HANDSHAKE_S, deadline.left()))
        with closing(connect(address.host, address.port, within)) as sock:
            sock.settimeout(within.left())
            context.wrap_socket(sock, server_hostname=address.host).close()
    except ssl.SSLError as error:
        return "ALERT" in (error.reason or "")
    except (OSError, UnicodeError):
        return False
    return True


def _unusable(what: str, error: OSError) -> UntrustedError:
    said = "no certificate in PEM format" if isinstance(error, ssl.SSLError) else error.strerror
    return UntrustedError(f"{what}: {said}", "name a file in PEM format that can be read")

"""From an error of a socket, of TLS or of HTTP to words: what happened, where, what to do about it."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from http.client import IncompleteRead

from probes.engines.access import Address
from probes.engines.connection import TooLargeError
from probes.engines.errors import (
    BadAnswerError,
    DeniedError,
    EngineError,
    ServerFailedError,
    SlowAnswerError,
    UnknownPathError,
    UnreachableError,
    UntrustedError,
    WrongProtocolError,
)

ZMQ_GREETING = b"\xff\0\0\0\0\0\0\0"
"""How ZeroMQ begins a conversation; a ninth byte may differ."""
_TLS_RECORD = b"\x15\x03"
_NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG", "UNEXPECTED_MESSAGE")
_NEEDS_CERTIFICATE = ("CERTIFICATE_REQUIRED", "HANDSHAKE_FAILURE", "BAD_CERTIFICATE", "UNKNOWN_CA")
_HOST_MISMATCH = (62, 64)
_EXPIRED = 10

USE_TLS = "name it with https: sglang+https://HOST:PORT or vllm+https://HOST:PORT"
USE_PLAIN = "name it without https: sglang://HOST:PORT or vllm://HOST:PORT"
NAME_HTTP = "name the port of the server's HTTP API"
NOT_THE_ENGINE = "see whether this is the port of the engine, and how old it is"
SLOW = "see whether it hangs or is far away: --timeout S waits longer"
GIVE_KEY = "give the key of the server: RADIXTOP_API_KEY, --api-key-file FILE or --api-key KEY"
TRUST = "trust who signed it: --ca-file FILE; or, if nobody can sit in between: --insecure"
CERTIFY = "give a certificate that the server knows: --client-cert FILE"


def fault_of(error: BaseException, address: Address, seconds: float) -> EngineError:
    """Return what an error of a socket, of TLS or of HTTP means for whoever asked."""
    if isinstance(error, TimeoutError):
        return SlowAnswerError(f"{address} gave no whole answer within {seconds:.2g} s", SLOW)
    if isinstance(error, ssl.SSLError):
        return _tls_fault(error, address)
    if isinstance(error, TooLargeError):
        return too_large(address)
    if isinstance(error, IncompleteRead):
        return BadAnswerError(f"{address} broke off in the middle of its answer", "see whether the server crashed")
    if isinstance(error, (OSError, UnicodeError)):
        return _socket_fault(error, address)
    return WrongProtocolError(f"what listens at {address} speaks no HTTP", NAME_HTTP)


def needs_tls(address: Address) -> WrongProtocolError:
    """Return the error for a server that was asked without TLS and wants it."""
    return WrongProtocolError(f"{address} speaks TLS and was asked without", USE_TLS)


def stranger(first: bytes, address: Address) -> WrongProtocolError:
    """Return the error for an answer that does not begin as HTTP does; `first` are its first bytes."""
    if first.startswith(_TLS_RECORD):
        return needs_tls(address)
    if first.startswith(ZMQ_GREETING):
        hint = f"for its events alone: tcp://{address.place}; else name the port of its HTTP API"
        return WrongProtocolError(f"ZeroMQ listens at {address.place}, not HTTP", hint)
    return WrongProtocolError(f"what listens at {address} speaks no HTTP", NAME_HTTP)


def status_fault(status: int, path: str, address: Address, has_token: bool) -> EngineError | None:
    """Return what a status means, None for a good one."""
    where = f"{address}{path}"
    if 200 <= status < 300:
        return None
    if status in (401, 403):
        said = f"{where} refuses {'this' if has_token else 'to answer without an'} API key ({status})"
        return DeniedError(said, GIVE_KEY)
    if status == 404:
        return UnknownPathError(
            f"{where} is not there (404)", "see whether this is the port of the engine, and its version"
        )
    if status >= 500:
        return ServerFailedError(f"{where} failed ({status})", "it may still be loading its model: see its log")
    return BadAnswerError(f"{where} answers with status {status}", "see the log of the server")


def too_large(address: Address) -> BadAnswerError:
    """Return the error for an answer that does not end."""
    return BadAnswerError(f"{address} answers with more than is read", NOT_THE_ENGINE)


def _tls_fault(error: ssl.SSLError, address: Address) -> EngineError:
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code in _HOST_MISMATCH:
            said = f"the certificate of {address} is for another name"
            return UntrustedError(said, "name the server as its certificate does; or, if you are sure: --insecure")
        if error.verify_code == _EXPIRED:
            return UntrustedError(
                f"the certificate of {address} has expired", "renew it; or, if you are sure: --insecure"
            )
        return UntrustedError(f"the certificate of {address} is not trusted ({error.verify_message})", TRUST)
    reason = error.reason or ""
    if any(name in reason for name in _NEEDS_CERTIFICATE):
        return UntrustedError(f"{address} wants a certificate of ours, or another one", CERTIFY)
    if isinstance(error, ssl.SSLEOFError) or any(name in reason for name in _NO_TLS):
        return WrongProtocolError(f"{address} speaks no TLS", USE_PLAIN)
    return UntrustedError(f"no TLS connection to {address} ({reason.lower().replace('_', ' ')})", TRUST)


def _socket_fault(error: BaseException, address: Address) -> EngineError:
    if isinstance(error, (socket.gaierror, UnicodeError)):
        return UnreachableError(f"{address.host} is not known here", "see how the host is spelt")
    code = error.errno if isinstance(error, OSError) else None
    if code == errno.ECONNREFUSED:
        return UnreachableError(f"nothing listens at {address}", "see whether the server runs, and at which port")
    if code in (errno.ECONNRESET, errno.EPIPE) or isinstance(error, ConnectionError):
        return UnreachableError(f"{address} closed the connection without an answer", "see the log of the server")
    said = os.strerror(code).lower() if code else "no connection"
    return UnreachableError(f"there is no way to {address}: {said}", "see the network between here and there")

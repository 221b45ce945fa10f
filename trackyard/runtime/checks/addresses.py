"""Checks of the addresses that people and visitors use: name, certificate, and what answers there."""

import http.client
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import SplitResult, urlsplit

from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.runtime.checks.books import reading
from trackyard.runtime.checks.machine import CheckedMachine
from trackyard.runtime.setting_types import is_loopback

CERTIFICATE_DAYS: Final = 14
"""Days that a certificate must be valid for."""
MOST_DOMAINS: Final = 48
"""Tracking domains that are asked, the newest ones."""
_AT_ONCE: Final = 16
_TIMEOUT_S: Final = 5
_PORTS: Final = {"http": 80, "https": 443}
_DAY_S: Final = 86_400


@dataclass(frozen=True, slots=True)
class _Answer:
    """What an address answered to /healthz. ends_at: of the certificate, Unix seconds; None without one."""

    status: int
    ends_at: int | None


def check_api_url(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield what is wrong with the address of the API."""
    return _check("TRACKYARD_API_URL", machine.config.api_url, "api", machine)


def check_tracking_url(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield what is wrong with the address of tracking links."""
    return _check("TRACKYARD_TRACKING_URL", machine.config.tracking_url, "edge", machine)


def seen_api_certificate(machine: CheckedMachine) -> str:
    """Return the day on which the certificate of the address of the API ends; "" without one."""
    return _certificate_day(machine.config.api_url, machine)


def seen_url_certificate(machine: CheckedMachine) -> str:
    """Return the day on which the certificate of the address of tracking links ends; "" without one."""
    return _certificate_day(machine.config.tracking_url, machine)


def _certificate_day(url: str, machine: CheckedMachine) -> str:
    parts = urlsplit(url)
    if parts.scheme != "https":
        return ""
    with suppress(OSError, UnicodeError, http.client.HTTPException):  # the check itself says so
        ends_at = _ask(parts, parts.hostname or "", parts.port or _PORTS[parts.scheme], machine.tls).ends_at
        return "" if ends_at is None else datetime.fromtimestamp(ends_at, UTC).date().isoformat()
    return ""


def check_domains(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield what is wrong with the domains that tracking links may begin with (docs/api/domains.md)."""
    domains = _domains(machine)[-MOST_DOMAINS:]
    if not domains:
        return

    def check(domain: tuple[int, str]) -> list[Finding]:
        number, url = domain
        found = _check(f"domain {number}", url, "edge", machine)
        return [each for each in found if each.kind is not FindingKind.ADDRESS_PLAIN]  # its switch says so

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for found in pool.map(check, domains):
            yield from found


def seen_domains(machine: CheckedMachine) -> str:
    """Return how many tracking domains were asked, where that is not all."""
    count = len(_domains(machine))
    return f"{MOST_DOMAINS} / {count}" if count > MOST_DOMAINS else ""


def _domains(machine: CheckedMachine) -> list[tuple[int, str]]:
    """Return the id and the address of each tracking domain, the oldest first."""
    from trackyard.store.platform.domains import list_domains

    with reading(machine) as connection:
        found = [] if connection is None else list_domains(connection)
    own = urlsplit(machine.config.tracking_url).netloc
    return [(each.id, f"http{'s' if each.use_https else ''}://{each.url}") for each in found if each.url != own]


def _check(variable: str, url: str, role: str, machine: CheckedMachine) -> Iterator[Finding]:
    """Yield the findings of an address. role: the one that answers there."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_loopback(host) and not (role in machine.config.roles and machine.server_runs):
        return  # nothing on this machine should answer
    port = parts.port or _PORTS[parts.scheme]
    evidence: dict[str, str | int] = {"variable": variable}
    try:
        machine.resolve(host, port)
    except (OSError, UnicodeError) as fault:  # the latter of a name that no DNS can have, such as a..b
        reason = getattr(fault, "strerror", None) or str(fault)
        yield Finding(FindingKind.NAME_UNKNOWN, url, {**evidence, "reason": reason})
        return
    if parts.scheme == "http" and not is_loopback(host):
        yield Finding(FindingKind.ADDRESS_PLAIN, url, evidence)
    try:
        answer = _ask(parts, host, port, machine.tls)
    except ssl.SSLCertVerificationError as fault:
        yield Finding(FindingKind.CERTIFICATE_INVALID, url, {**evidence, "reason": fault.verify_message.rstrip(".")})
    except (OSError, http.client.HTTPException) as fault:
        reason = getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
        kind = FindingKind.ADDRESS_SILENT if machine.server_runs else FindingKind.ADDRESS_UNPROVEN
        yield Finding(kind, url, {**evidence, "reason": reason})
    else:
        yield from _judge(url, evidence, answer, machine.server_runs)


def _judge(url: str, evidence: dict[str, str | int], answer: _Answer, server_runs: bool) -> Iterator[Finding]:
    if answer.ends_at is not None and answer.ends_at - time.time() < CERTIFICATE_DAYS * _DAY_S:
        days = int((answer.ends_at - time.time()) // _DAY_S)
        end = datetime.fromtimestamp(answer.ends_at, UTC).date().isoformat()
        yield Finding(FindingKind.CERTIFICATE_ENDS, url, {**evidence, "days": days, "end": end})
    if answer.status >= http.HTTPStatus.INTERNAL_SERVER_ERROR and not server_runs:  # a proxy without its server
        reason = f"/healthz is answered with {answer.status}"
        yield Finding(FindingKind.ADDRESS_UNPROVEN, url, {**evidence, "reason": reason})
    elif answer.status != http.HTTPStatus.OK:
        yield Finding(FindingKind.ADDRESS_WRONG, url, {**evidence, "status": answer.status})


def _ask(parts: SplitResult, host: str, port: int, tls: ssl.SSLContext) -> _Answer:
    """Request /healthz below an address, and return the answer. Raises OSError, HTTPException."""
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(host, port, timeout=_TIMEOUT_S, context=tls)
    else:
        connection = http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
    try:
        connection.connect()
        ends_at = _certificate_end(connection.sock)
        connection.request("GET", f"{parts.path}/healthz", headers={"User-Agent": "trackyard check"})
        return _Answer(connection.getresponse().status, ends_at)
    finally:
        connection.close()


def _certificate_end(connection: socket.socket) -> int | None:
    certificate = connection.getpeercert() if isinstance(connection, ssl.SSLSocket) else None
    return ssl.cert_time_to_seconds(str(certificate["notAfter"])) if certificate else None

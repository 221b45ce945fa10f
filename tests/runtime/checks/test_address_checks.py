"""Checks of the addresses of the API and of tracking links: names, certificates, answers."""

import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.runtime.checks.test_machine_checks import kinds, machine
from tests.support.processes.certificates import self_signed
from trackyard.domain.platform.domains import Domain
from trackyard.domain.platform.findings import Finding
from trackyard.runtime.checks import addresses
from trackyard.runtime.checks.addresses import (
    check_api_url,
    check_domains,
    check_tracking_url,
    seen_api_certificate,
    seen_domains,
    seen_url_certificate,
)
from trackyard.store.engine.database import Database
from trackyard.store.platform.domains import add_domain


@contextmanager
def serving(status: int = 200, certificate: tuple[Path, Path] | None = None, base: str = "/base") -> Iterator[str]:
    """Yield the host and port of a server that answers /healthz below a path."""

    class Health(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == f"{base}/healthz" else 404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_given: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_given: object) -> None:
            """Write nothing: clients that refuse a certificate leave."""

    with Quiet(("127.0.0.1", 0), Health) as server:
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"localhost:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def check(directory: Path, url: str, runs: bool = True, trusted: Path | None = None) -> list[Finding]:
    """Return what is found about an address of the API. trusted: a certificate."""
    here = replace(machine(directory, api_url=url), server_runs=runs)
    if trusted is not None:
        here.tls.load_verify_locations(trusted)
    return list(check_api_url(here))


def test_address_that_answers_over_tls_has_no_finding(tmp_path: Path) -> None:
    certificate = self_signed(tmp_path, days=15)
    with serving(certificate=certificate) as host:
        assert check(tmp_path, f"https://{host}/base", trusted=certificate[0]) == []
        here = machine(tmp_path, api_url=f"https://{host}/base", tracking_url="http://localhost:1")
        assert seen_api_certificate(here) == "", "a certificate without trust is a finding"
        here.tls.load_verify_locations(certificate[0])
        assert 13 <= (date.fromisoformat(seen_api_certificate(here)) - datetime.now(UTC).date()).days <= 16
        assert seen_url_certificate(here) == ""


@pytest.mark.parametrize(("days", "left"), [(13.5, 13), (0.5, 0)])
def test_certificate_that_ends_soon_is_found(tmp_path: Path, days: float, left: int) -> None:
    certificate = self_signed(tmp_path, days=days)
    with serving(certificate=certificate) as host:
        (found,) = check(tmp_path, f"https://{host}/base", trusted=certificate[0])
    assert found.kind.value == "certificate_ends" and found.evidence["days"] == left


@pytest.mark.parametrize(("days", "reason"), [(15, "self-signed certificate"), (-0.5, "certificate has expired")])
def test_certificate_that_is_not_valid_is_found(tmp_path: Path, days: float, reason: str) -> None:
    certificate = self_signed(tmp_path, days=days)
    with serving(certificate=certificate) as host:
        (found,) = check(tmp_path, f"https://{host}/base", trusted=certificate[0] if days < 0 else None)
    assert found.kind.value == "certificate_invalid" and reason in found.sentence.replace("self signed", "self-signed")


def test_address_with_unknown_name_is_found(tmp_path: Path) -> None:
    def resolve(_host: str, _port: int) -> object:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    here = replace(machine(tmp_path, tracking_url="https://go.example.org"), resolve=resolve)
    (found,) = check_tracking_url(here)
    assert found.kind.value == "name_unknown"
    assert found.sentence == (
        "The name in TRACKYARD_TRACKING_URL https://go.example.org does not resolve: Name or service not known."
    )


@pytest.mark.parametrize("status", [404, 502])
def test_address_that_answers_otherwise_is_found(tmp_path: Path, status: int) -> None:
    certificate = self_signed(tmp_path, days=15)
    with serving(status, certificate) as host:
        assert kinds(check(tmp_path, f"https://{host}/base", trusted=certificate[0])) == ["address_wrong"]


def answering(status: int) -> Callable[..., object]:
    return lambda *_given: addresses._Answer(status, None)


def failing(*_given: object) -> object:
    raise http.client.BadStatusLine("SSH-2.0")


@pytest.mark.parametrize(
    ("ask", "runs", "found"),
    [
        (failing, True, "address_silent"),
        (failing, False, "address_unproven"),
        (answering(502), False, "address_unproven"),
        (answering(502), True, "address_wrong"),
        (answering(301), False, "address_wrong"),
    ],
)
def test_address_without_answer_is_an_error_once_the_server_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Callable[..., object], runs: bool, found: str
) -> None:
    monkeypatch.setattr(addresses, "_ask", ask)
    here = machine(tmp_path, api_url="http://api.example.org")
    checked = check_api_url(replace(here, server_runs=runs, resolve=lambda *_given: []))
    assert kinds(checked) == ["address_plain", found]


def test_address_of_this_machine_is_asked_once_the_server_runs(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    assert check(tmp_path, url, runs=False) == []
    (found,) = check(tmp_path, url)
    assert found.sentence == f"TRACKYARD_API_URL {url} does not answer: Connection refused."


def test_domains_of_tracking_are_checked_with_name_certificate_and_answer(
    tmp_path: Path, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = machine(tmp_path, database_url=sqlite_database.url)
    here = replace(here, server_runs=True, resolve=resolve_loopback)
    certificate = self_signed(tmp_path, days=2.5)
    here.tls.load_verify_locations(certificate[0])
    with serving(certificate=certificate, base="") as ending, serving(base="") as plain, serving() as wrong:
        other_name = ending.replace("localhost", "127.0.0.1")
        hosts = {ending: True, other_name: True, plain: False, wrong: False, "no-such-name.invalid": True}
        with sqlite_database.write() as connection:
            for host, use_https in hosts.items():
                add_domain(connection, Domain(0, host, use_https, created_at=1, updated_at=1))
        found = list(check_domains(here))
        monkeypatch.setattr(addresses, "MOST_DOMAINS", 1)
        assert kinds(check_domains(here)) == ["name_unknown"]
        assert seen_domains(here) == "1 / 5"
    assert [(each.kind.value, each.evidence["variable"], each.subject) for each in found] == [
        ("certificate_ends", "domain 1", f"https://{ending}"),
        ("certificate_invalid", "domain 2", f"https://{other_name}"),
        ("address_wrong", "domain 4", f"http://{wrong}"),
        ("name_unknown", "domain 5", "https://no-such-name.invalid"),
    ]


def resolve_loopback(host: str, _port: int) -> None:
    """As a resolver that knows this machine alone."""
    if host not in ("localhost", "127.0.0.1"):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

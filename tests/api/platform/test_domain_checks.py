"""The check of a tracking domain asks it once, and says which step fails and what to do."""

import ssl
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.processes.certificates import self_signed
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from trackyard.api.app import build
from trackyard.api.catalogue import CATALOGUE
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.own_requests import INSTALLATION_PATH, origin_of
from trackyard.edge.http.installation import installation_page
from trackyard.edge.http.request import Request
from trackyard.outbound.interactive import OnDemandClient

KEY = b"of this installation"
LOOPBACK = (ip_network("127.0.0.0/8"),)


def edge_of(key: bytes) -> Any:
    """Answers as the tracking listener of an installation does."""
    page = installation_page(key)

    def reply(request: ReceivedRequest) -> Reply:
        path, _, query = request.path.partition("?")
        if path != INSTALLATION_PATH:
            return Reply(404)
        answer = page(Request("GET", path, query.encode(), {}, "127.0.0.1", False, b""))
        return Reply(answer.status, answer.body)

    return reply


def checking(api: Api, **options: Any) -> ApiClient:
    """An administrator of an installation that may ask the loopback, where receivers of tests listen."""
    deps = replace(api.deps, trials=OnDemandClient(LOOPBACK, **options), origin=origin_of(KEY))
    return ApiClient(build(deps), CATALOGUE, api.admin.key)


def check(client: ApiClient, host: str, *, use_https: int = 0) -> dict[str, Any]:
    made = client.post("/3.1/admin/domains", url=host, use_https=use_https)["domain"]["id"]
    found: dict[str, Any] = client.post(f"/3.1/admin/domains/{made}/check")["check"]
    return found


def _end_of(certificate: Path) -> int:
    """Return when a certificate ends, in milliseconds."""
    return int(x509.load_pem_x509_certificate(certificate.read_bytes()).not_valid_after_utc.timestamp()) * 1000


def verdicts(found: dict[str, Any]) -> dict[str, str]:
    return {step["name"]: step["verdict"] for step in found["steps"]}


@pytest.fixture
def edge() -> Iterator[Receiver]:
    with Receiver(edge_of(KEY)) as receiver:
        yield receiver


def test_domain_check_passes_where_this_installation_answers(api: Api, edge: Receiver) -> None:
    found = check(checking(api), f"127.0.0.1:{edge.port}")
    assert found["passes"] is True
    assert found["url"] == edge.url(INSTALLATION_PATH)
    assert verdicts(found) == {
        "name": "passed", "connection": "passed", "certificate": "not checked", "answer": "passed",
    }  # fmt: skip
    [asked] = edge.requests()
    assert len(asked.query["challenge"]) == 32


@pytest.mark.parametrize(
    ("answers", "text", "advice"),
    [
        (edge_of(b"of another installation"), "Another site answers.", "this platform"),
        (lambda _: Reply(200, b"welcome"), "Another site answers.", "this platform"),
        (
            lambda _: Reply(301, b"", {"Location": "https://a.example/"}),
            "a redirect, with status 301",
            "begin with https",
        ),
        (lambda _: Reply(502), "status 502", "log of the proxy"),
    ],
)
def test_domain_check_fails_where_something_else_answers(api: Api, answers: Any, text: str, advice: str) -> None:
    with Receiver(answers) as stranger:
        found = check(checking(api), f"127.0.0.1:{stranger.port}")
    assert (found["passes"], verdicts(found)["answer"]) == (False, "failed")
    assert text in found["steps"][-1]["text"] and advice in found["steps"][-1]["advice"]


def test_domain_check_stops_at_the_first_step_that_fails(api: Api, edge: Receiver) -> None:
    client = checking(api)
    unknown = check(client, "10.0.0.1:8080")
    assert list(verdicts(unknown).values()) == ["failed", "not checked", "not checked", "not checked"]
    assert "10.0.0.1 has no IP address that may be called" in unknown["steps"][0]["text"]
    assert "TRACKYARD_OUTBOUND_ALLOW" in unknown["steps"][0]["advice"]
    plain = check(client, f"localhost:{edge.port}", use_https=1)
    assert list(verdicts(plain).values()) == ["passed", "passed", "failed", "not checked"]
    assert "Get a certificate of localhost" in plain["steps"][2]["advice"]
    with Receiver() as gone:
        port = gone.port
    silent = check(client, f"127.0.0.1:{port}")
    assert list(verdicts(silent).values()) == ["passed", "failed", "not checked", "not checked"]
    assert "its port is open" in silent["steps"][1]["advice"]
    assert edge.requests() == []


@pytest.mark.parametrize(("days", "soon"), [(100, False), (2, True)])
def test_domain_check_says_until_when_a_certificate_is_valid(api: Api, tmp_path: Path, days: int, soon: bool) -> None:
    certificate, key = self_signed(tmp_path, days=days)
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    served.load_cert_chain(certificate, key)
    with Receiver(edge_of(KEY), tls=served) as receiver:
        client = checking(api, tls=ssl.create_default_context(cafile=certificate))
        api.clock.advance(_end_of(certificate) - days * 86_400_000 - api.clock.now_ms())
        found = check(client, f"localhost:{receiver.port}", use_https=1)
    assert found["passes"] is True
    step = found["steps"][2]
    assert step["text"] == f"The certificate is valid until {found['certificate_until'][:10]}."
    assert ("ends soon" in step["advice"]) is soon


def test_domain_is_checked_once_at_a_time_and_by_administrators_alone(api: Api) -> None:
    client = checking(api, at_once=0)
    made = client.post("/3.1/admin/domains", url="127.0.0.1:9", use_https=0)["domain"]["id"]
    busy = client.call("POST", f"/3.1/admin/domains/{made}/check")
    assert (busy.status_code, busy.headers["Retry-After"]) == (429, "10")
    assert client.call("POST", f"/3.1/admin/domains/{made + 1}/check").status_code == 404
    _, manager = api.add_staff(Role.MANAGER_AFFILIATE)
    assert manager.call("POST", f"/3.1/admin/domains/{made}/check").status_code == 403

"""Requests to URLs of users: content, refusals and bounds."""

import asyncio
import hashlib
import hmac
import ipaddress
import socket
import ssl
import threading
import time
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from tests.support.processes.certificates import self_signed
from tests.support.processes.receiver import Receiver, Reply
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.interactive import OnDemandClient
from trackyard.outbound.resolver import GetAddrInfo, LookupThreads, ThreadResolver
from trackyard.outbound.results import MAX_BODY, HttpResult, SiteLook, SitePart, signature, wire_url

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)


def get(url: str, *, allowed: bool = True, lookup: GetAddrInfo = socket.getaddrinfo, seconds: float = 5) -> HttpResult:
    async def call() -> HttpResult:
        async with OutboundClient(LOOPBACK if allowed else (), lookup=lookup, seconds=seconds) as client:
            return await client.get(url, {"X-Test": "1"})

    return asyncio.run(call())


def names(*addresses: str) -> GetAddrInfo:
    """A name server that knows one answer."""

    def look_up(_host: str, port: int, **_: Any) -> list[Any]:
        return [
            (socket.AF_INET6 if ":" in text else socket.AF_INET, socket.SOCK_STREAM, 6, "", (text, port))
            for text in addresses
        ]

    return look_up


def test_outbound_request_is_sent_verbatim() -> None:
    with Receiver() as receiver:
        answer = get(receiver.url("/p%2Fq?a=x%20y%26z&b=%C3%A9%2B&c=a+b#part"))
        (request,) = receiver.requests()
    assert (answer.http_code, answer.body, answer.is_success) == (200, b"ok", True)
    assert request.path == "/p%2Fq?a=x%20y%26z&b=%C3%A9%2B&c=a+b"
    assert request.query == {"a": "x y&z", "b": "é+", "c": "a b"}
    assert request.headers["x-test"] == "1"
    assert "cookie" not in request.headers


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "127.1", "0", "2130706433", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"],
)
def test_outbound_private_address_is_rejected_in_any_notation(host: str) -> None:
    with Receiver() as receiver:
        answer = get(f"http://{host}:{receiver.port}/", allowed=False)
        assert receiver.requests() == []
    assert answer.http_code == 0
    assert answer.error
    assert answer.is_retryable


@pytest.mark.parametrize("address", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1"])
def test_outbound_host_name_of_private_address_is_rejected(address: str) -> None:
    answer = get("http://stranger.example:9/", allowed=False, lookup=names(address))
    assert answer.http_code == 0
    assert "may be called" in answer.error


def test_outbound_request_uses_permitted_addresses_only() -> None:
    with Receiver() as receiver:
        url = f"http://stranger.example:{receiver.port}/"
        assert get(url, lookup=names("10.0.0.1", "127.0.0.1", "::1")).http_code == 200
        assert len(receiver.requests()) == 1


def test_outbound_redirects_are_not_followed() -> None:
    with Receiver(lambda _: Reply(302, headers={"Location": "/elsewhere"})) as receiver:
        answer = get(receiver.url("/first"))
        assert [request.path for request in receiver.requests()] == ["/first"]
    assert answer.http_code == 302
    assert not answer.is_success and not answer.is_retryable


def test_outbound_large_response_is_read_in_part() -> None:
    with Receiver(lambda _: Reply(body=b"x" * 5_000_000)) as receiver:
        answer = get(receiver.url())
    assert answer.is_success
    assert len(answer.body) == MAX_BODY


def test_outbound_slow_receiver_times_out() -> None:
    with Receiver(lambda _: Reply(delay=30)) as receiver:
        begin = time.monotonic()
        answer = get(receiver.url(), seconds=0.3)
    assert time.monotonic() - begin < 20
    assert answer.http_code == 0
    assert "0.3 s" in answer.error


def test_outbound_hanging_name_server_times_out() -> None:
    released = threading.Event()
    answered: list[bool] = []

    def hang(*_: object, **__: object) -> list[Any]:
        released.wait(60)
        answered.append(True)
        return []

    try:
        assert get("http://stranger.example/", lookup=hang, seconds=0.2).http_code == 0
        assert not answered
    finally:
        released.set()


def test_outbound_untrusted_certificate_is_rejected() -> None:
    with Receiver() as receiver:
        answer = get(f"https://127.0.0.1:{receiver.port}/")  # not even TLS behind it
        assert receiver.requests() == []
    assert answer.http_code == 0


def look(url: str, *, allowed: bool = True, tls: ssl.SSLContext | None = None, seconds: float = 5) -> SiteLook:
    return OnDemandClient(LOOPBACK if allowed else (), seconds=seconds, tls=tls).look(-1, url)


def test_look_says_how_far_a_request_came() -> None:
    with Receiver(lambda _: Reply(404, b"nothing")) as receiver:
        plain = look(receiver.url("/x"))
        assert plain == SiteLook(status=404, body=b"nothing")
        private = look(receiver.url(), allowed=False)
        assert (private.fault, private.error) == (SitePart.NAME, "127.0.0.1 has no IP address that may be called")
        assert look(f"https://127.0.0.1:{receiver.port}/").fault is SitePart.CERTIFICATE
        assert [each.path for each in receiver.requests()] == ["/x"]
    assert look(receiver.url()).fault is SitePart.CONNECTION
    with Receiver(lambda _: Reply(delay=30)) as slow:
        late = look(slow.url(), seconds=0.3)
    assert (late.fault, late.error) == (SitePart.CONNECTION, "no answer within 0.3 s")


def test_look_finds_the_end_of_a_certificate_and_an_invalid_one(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path, days=2)
    end = int(x509.load_pem_x509_certificate(certificate.read_bytes()).not_valid_after_utc.timestamp())
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    served.load_cert_chain(certificate, key)
    with Receiver(tls=served) as receiver:
        url = f"https://localhost:{receiver.port}/"
        assert look(url, tls=ssl.create_default_context(cafile=certificate)) == SiteLook(
            status=200, body=b"ok", certificate_end=end
        )
        untrusted = look(url)
        assert (untrusted.fault, untrusted.certificate_end) == (SitePart.CERTIFICATE, None)
        assert untrusted.error == f"the certificate of localhost:{receiver.port} is not valid: self-signed certificate"
        assert len(receiver.requests()) == 1


@pytest.mark.parametrize(
    "url",
    ["", "ftp://a.example/", "file:///etc/passwd", "http://", "//a.example", "http://a.example:x/", "http://[::/"],
)
def test_outbound_invalid_url_is_an_error(url: str) -> None:
    answer = get(url)
    assert answer.http_code == 0
    assert answer.error


@pytest.mark.parametrize("url", ["http://127.0.0.1:{}/a b\r\nX-Evil: 1", "http://127.0.0.1:{}/?q=\x00\n"])
def test_outbound_control_characters_add_no_headers(url: str) -> None:
    with Receiver() as receiver:
        get(url.format(receiver.port))
        assert all("x-evil" not in request.headers for request in receiver.requests())


@pytest.mark.parametrize(
    ("code", "sent", "again"),
    [
        (0, False, True),
        (200, True, False),
        (204, True, False),
        (301, False, False),
        (404, False, False),
        (429, False, True),
        (500, False, True),
        (503, False, True),
    ],
)
def test_outbound_retry_depends_on_http_status(code: int, sent: bool, again: bool) -> None:
    assert (HttpResult(code).is_success, HttpResult(code).is_retryable) == (sent, again)


def test_outbound_signature_covers_time_and_received_url() -> None:
    with Receiver() as receiver:
        url = receiver.url("/ü?x=%7E&y=a b#z")
        get(url)
        target = receiver.requests()[0].path
    expected = hmac.new(b"key", f"17.{receiver.url(target)}".encode(), hashlib.sha256).hexdigest()
    assert signature("key", 17, wire_url(url)) == f"t=17,v1={expected}"


def download(url: str, most: int = 1000, *, allowed: bool = True) -> tuple[HttpResult, bytes]:
    async def call() -> tuple[HttpResult, bytes]:
        into = BytesIO()
        async with OutboundClient(LOOPBACK if allowed else (), seconds=5) as client:
            return await client.download(url, into, most), into.getvalue()

    return asyncio.run(call())


def test_download_of_allowed_size_is_complete() -> None:
    with Receiver(lambda _: Reply(body=b"x" * 300_000)) as receiver:
        assert download(receiver.url(), 300_000) == (HttpResult(200), b"x" * 300_000)


def test_download_over_size_limit_is_an_error() -> None:
    with Receiver(lambda _: Reply(body=b"x" * 1001)) as receiver:
        answer, got = download(receiver.url(), 1000)
    assert answer.error and not answer.is_retryable
    assert len(got) <= 1000


@pytest.mark.parametrize(("status", "again"), [(302, False), (404, False), (429, True), (503, True)])
def test_download_of_missing_file_is_an_error(status: int, again: bool) -> None:
    with Receiver(lambda _: Reply(status, b"no", {"Location": "/elsewhere"})) as receiver:
        answer, got = download(receiver.url())
        assert len(receiver.requests()) == 1
    assert (answer.http_code, got, answer.is_retryable) == (status, b"", again)
    assert answer.error


def test_download_cut_short_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer_in_part() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nx")

        thread = threading.Thread(target=answer_in_part)
        thread.start()
        answer, _ = download(f"http://127.0.0.1:{server.getsockname()[1]}/")
        thread.join()
    assert (answer.http_code, answer.is_retryable) == (0, True)
    assert answer.error


def test_download_from_private_address_is_rejected() -> None:
    with Receiver() as receiver:
        answer, _ = download(receiver.url(), allowed=False)
        assert receiver.requests() == []
    assert "may be called" in answer.error


def test_outbound_refused_and_unknown_hosts_read_alike(caplog: pytest.LogCaptureFixture) -> None:
    def unknown(*_asked: Any, **_more: Any) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with caplog.at_level("INFO", "trackyard.outbound"):
        refused = [
            get("http://vm.example/", allowed=False, lookup=names(*addresses)).error
            for addresses in (["127.0.0.1"], ["10.0.0.1", "::1"], ["169.254.169.254", "fe80::1"])
        ]
        assert {*refused, get("http://vm.example/", lookup=unknown).error} == {
            "vm.example has no IP address that may be called"
        }
    assert "127.0.0.1" in caplog.records[0].__dict__["reason"]
    assert len(caplog.records) == 4


@pytest.mark.parametrize(("count", "code"), [(5, 200), (6, 0), (100_000, 0)])
def test_outbound_request_ends_after_five_informational_answers(count: int, code: int) -> None:
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            client, _ = listener.accept()
            with client, suppress(OSError):
                client.recv(4096)
                for _ in range(count):
                    client.sendall(b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n")
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                client.recv(1)
            ended.set()

        threading.Thread(target=answer, daemon=True).start()
        result = get(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        assert ended.wait(10), "the connection is closed"
    assert result.http_code == code
    assert ("informational" in result.error) == (code == 0)


def test_outbound_lookups_of_slow_name_servers_are_bounded() -> None:
    release, started = threading.Event(), list[str]()

    def hang(host: str, *_: Any, **__: Any) -> list[Any]:
        started.append(host)
        assert release.wait(30)
        raise OSError("no answer")

    async def ask_all() -> list[str]:
        resolver = ThreadResolver(hang, LookupThreads(most=12, most_of_domain=8))
        hosts = [f"h{number}.slow.example" for number in range(20)] + ["h1.slow.example"] * 3
        hosts += [f"own{number}.example" for number in range(9)]

        async def ask(host: str) -> str:
            try:
                await asyncio.wait_for(resolver.resolve(host), 0.2)
            except TimeoutError:
                return "runs"
            except OSError as error:
                return str(error)
            return "found"

        said = await asyncio.gather(*map(ask, hosts))
        await resolver.close()
        return list(said)

    said = asyncio.run(ask_all())
    release.set()
    assert said[:8] == ["runs"] * 8 and said[20:23] == ["runs"] * 3, "equal names share a look-up"
    assert set(said[8:20]) == {"too many look-ups of names of slow.example are running"}
    assert len(started) == 12

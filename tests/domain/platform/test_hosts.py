"""Hosts of the URLs that are called."""

import pytest

from trackyard.domain.platform.hosts import OwnHosts, delivery_host, host_of


@pytest.mark.parametrize(
    ("url", "host"),
    [("https://A.example:81/x", "a.example"), ("http://[::1]/", "::1"), ("nonsense", ""), ("http://[::/", "")],
)
def test_postback_host_of_url_is_extracted(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://a.b.shop.example/x", "shop.example"),
        ("https://SHOP.example/", "shop.example"),
        ("https://{sub1}.shop.example./{clickid}", "shop.example"),
        ("https://a.shop.co.uk/", "shop.co.uk"),
        ("https://co.uk/", "co.uk"),
        ("https://t.co/", "t.co"),
        ("https://a.b.shop.de/", "shop.de"),
        ("http://127.0.3.4:8080/", "127.0.3.4"),
        ("http://[2001:db8::1]/", "2001:db8::1"),
        ("http://localhost/", "localhost"),
        ("nonsense", ""),
    ],
)
def test_delivery_host_is_registered_domain_or_address(url: str, host: str) -> None:
    assert delivery_host(url) == host


OWN = OwnHosts(["https://track.example", "http://127.0.0.1:8000", "http://go.example:8443", "http://localhost"])


@pytest.mark.parametrize(
    "url",
    [
        "http://track.example/postback?clickid={clickid}",
        "https://TRACK.example.:9000/",
        "https://user@track.example/",
        "http://%74rack.example/",
        "http://127.0.0.1:8000/postback",
        "https://go.example/",
        "http://localhost/",
    ],
)
def test_own_host_is_known_in_every_spelling(url: str) -> None:
    assert OWN.includes(url)


@pytest.mark.parametrize(
    "url", ["http://other.example/", "http://a.track.example/", "http://127.0.0.1:8001/", "http://localhost:81/", "x"]
)
def test_own_host_is_no_other_host(url: str) -> None:
    assert not OWN.includes(url)

"""Hosts of the URLs that are called."""

import pytest

from trackyard.domain.platform.hosts import delivery_host, host_of


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

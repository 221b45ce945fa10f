"""The address of a click behind proxies."""

from ipaddress import ip_network

import pytest

from trackyard.edge.http.client_address import TrustedNetworks, find_address, peer_address

TRUSTED = TrustedNetworks([ip_network(text) for text in ("127.0.0.0/8", "::1", "10.0.0.0/8", "2001:db8:1::/48")])


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:DB8:0:0::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("192.0.2", None),
        ("192.0.2.256", None),
        ("0x7f.1", None),
        ("", None),
        ("1.2.3.4\0", None),
        ("é", None),
        ("localhost", None),
    ],
)
def test_address_is_normalised_to_one_form(text: str, address: str | None) -> None:
    assert find_address(text) == address


@pytest.mark.parametrize(
    ("text", "trusted"),
    [("127.9.9.9", True), ("128.0.0.1", False), ("::1", True), ("::2", False), ("2001:db8:1:2::3", True), ("x", False)],
)
def test_trusted_networks_match_proxies(text: str, trusted: bool) -> None:
    assert TRUSTED.trusts_text(text) is trusted


@pytest.mark.parametrize(
    ("forwarded", "visitor"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("198.51.100.1, 203.0.113.9", "203.0.113.9"),
        ("203.0.113.9, 10.1.1.1, 127.0.0.1", "203.0.113.9"),
        ("10.2.2.2, 10.1.1.1", "10.2.2.2"),
        ("203.0.113.9:4711", "203.0.113.9"),
        ("[2001:db8:2::1]:4711", "2001:db8:2::1"),
        ("2001:db8:2::1", "2001:db8:2::1"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("203.0.113.9, unknown", "127.0.0.1"),
        ("203.0.113.9, rubbish, 10.1.1.1", "10.1.1.1"),
        ("", "127.0.0.1"),
    ],
)
def test_visitor_address_is_right_most_untrusted_entry(forwarded: str, visitor: str) -> None:
    assert TRUSTED.locate("127.0.0.1", forwarded)[0] == visitor


def test_peer_address_of_socket_is_normalised() -> None:
    assert peer_address(("::ffff:192.0.2.1", 80, 0, 0)) == "192.0.2.1"
    assert peer_address("") == ""

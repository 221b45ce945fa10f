"""Lists of addresses: single, networks, ranges; deny wins."""

import pytest

from trackyard.domain.addresses import AddressLists, entries_of, network_of


@pytest.mark.parametrize(
    ("allowed", "denied", "address", "passes"),
    [
        ("", "", "192.0.2.9", True),
        ("", "", "", True),
        ("192.0.2.9", "", "192.0.2.9", True),
        ("192.0.2.9", "", "::ffff:192.0.2.9", True),
        ("192.0.2.8", "", "192.0.2.9", False),
        ("192.0.2.0/28", "", "192.0.2.9", True),
        ("192.0.2.1-192.0.2.9", "", "192.0.2.9", True),
        ("192.0.2.1 - 192.0.2.8", "", "192.0.2.9", False),
        ("10.0.0.1\r\n 192.0.2.9 \n", "", "192.0.2.9", True),
        ("", "192.0.2.9", "192.0.2.9", False),
        ("", "192.0.2.8", "192.0.2.9", True),
        ("192.0.2.0/24", "192.0.2.9", "192.0.2.9", False),
        ("2001:db8::/32", "", "2001:db8::1", True),
        ("2001:db8::1-2001:db8::9", "", "2001:db8::a", False),
        ("0.0.0.0/0", "", "2001:db8::1", False),
        ("nonsense", "", "192.0.2.9", False),
        ("", "nonsense", "192.0.2.9", True),
        ("192.0.2.9-::1", "", "192.0.2.9", False),
        ("192.0.2.9", "", "nonsense", False),
        ("", "192.0.2.9", "nonsense", True),
    ],
)
def test_who_may_call(allowed: str, denied: str, address: str, passes: bool) -> None:
    assert AddressLists(entries_of(allowed), entries_of(denied)).permits(address) is passes


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.9", "192.0.2.9"),
        ("::ffff:192.0.2.9", "192.0.2.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::9", "2001:db8:1:3::/64"),
        ("a socket", "a socket"),
        ("", ""),
    ],
)
def test_what_strangers_are_counted_by(address: str, network: str) -> None:
    assert network_of(address) == network

"""Lists of addresses: single, networks, ranges; deny wins."""

import pytest

from trackyard.domain.tracking.ip_lists import AddressLists, find_packed, network_of, split_entries


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
        ("0.0.0.0/0", "", "::ffff:192.0.2.9", True),
        ("::/0", "", "192.0.2.9", False),
        ("::ffff:192.0.2.0/120", "", "192.0.2.9", True),
        ("::ffff:192.0.2.0/120", "", "192.0.3.9", False),
        ("192.0.2.0/255.255.255.240", "", "192.0.2.9", True),
        ("192.0.2.0/255.255.255.248", "", "192.0.2.9", False),
        (" 192.0.2.9/24 ", "", "192.0.2.1", True),
        ("192.0.2.9/33", "", "192.0.2.9", False),
        ("192.0.2.9/", "", "192.0.2.9", False),
        ("192.0.2.9/24/24", "", "192.0.2.9", False),
        ("192.0.2.9/-1", "", "192.0.2.9", False),
        ("192.0.2.9-", "", "192.0.2.9", True),
        ("192.0.2.9/024", "", "192.0.2.1", True),
        ("nonsense", "", "192.0.2.9", False),
        ("", "nonsense", "192.0.2.9", True),
        ("192.0.2.9-::1", "", "192.0.2.9", False),
        ("192.0.2.9", "", "nonsense", False),
        ("", "192.0.2.9", "nonsense", True),
    ],
)
def test_address_lists_allow_and_deny_callers(allowed: str, denied: str, address: str, passes: bool) -> None:
    assert AddressLists(split_entries(allowed), split_entries(denied)).permits(address) is passes


@pytest.mark.parametrize(
    ("text", "packed"),
    [
        ("192.0.2.9", bytes([192, 0, 2, 9])),
        ("::ffff:192.0.2.9", bytes([192, 0, 2, 9])),
        ("::1", bytes(15) + b"\x01"),
        ("fe80::1%eth0", b"\xfe\x80" + bytes(13) + b"\x01"),
        ("192.0.2.09", None),
        ("192.0.2", None),
        ("\x00", None),
        ("\udcff:", None),
        ("", None),
    ],
)
def test_address_packing_gives_canonical_bytes(text: str, packed: bytes | None) -> None:
    assert find_packed(text) == packed


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
def test_address_network_groups_rate_limited_callers(address: str, network: str) -> None:
    assert network_of(address) == network

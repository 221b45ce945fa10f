"""Lists of addresses at a click: the same answers as of `ipaddress`."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.decision.targeting.ip_lists import AddressSet

_NUMBERS = {4: st.integers(0, 2**32 - 1), 6: st.integers(0, 2**128 - 1)}
_NEAR = {4: 0xC0000200, 6: 0x20010DB8 << 96}


@pytest.mark.parametrize(
    ("entry", "inside", "outside"),
    [
        ("192.0.2.9", ["192.0.2.9", "::ffff:192.0.2.9"], ["192.0.2.8", "192.0.2.10", "::c000:209"]),
        ("192.0.2.8 - 192.0.2.10", ["192.0.2.8", "192.0.2.10"], ["192.0.2.7", "192.0.2.11"]),
        ("192.0.2.16/28", ["192.0.2.16", "192.0.2.31"], ["192.0.2.15", "192.0.2.32"]),
        ("192.0.2.17/255.255.255.240", ["192.0.2.16", "192.0.2.31"], ["192.0.2.15", "192.0.2.32"]),
        ("::ffff:192.0.2.16/124", ["192.0.2.16", "192.0.2.31"], ["192.0.2.15", "192.0.2.32"]),
        ("2001:db8::/64", ["2001:db8::", "2001:db8::ffff:ffff:ffff:ffff"], ["2001:db8:0:1::", "192.0.2.9"]),
        ("2001:db8::8-2001:db8::a", ["2001:db8::8", "2001:DB8:0::A"], ["2001:db8::7", "2001:db8::b"]),
        ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255", "::ffff:1.2.3.4"], ["::", "::1"]),
        ("::/0", ["::", "ffff::"], ["1.2.3.4", "::ffff:1.2.3.4"]),
        ("192.0.2.9-192.0.2.8", [], ["192.0.2.8", "192.0.2.9"]),
        ("192.0.2.9-::1", [], ["192.0.2.9", "::1"]),
        ("nonsense", [], ["", "nonsense", "192.0.2.9"]),
    ],
)
def test_address_list_entry_matches_addresses_inside(entry: str, inside: list[str], outside: list[str]) -> None:
    addresses = AddressSet([entry])
    assert [text for text in (*inside, *outside) if addresses.contains(text)] == inside


@st.composite
def _entries(draw: st.DrawFn, version: int) -> tuple[str, int, int]:
    """(an entry, its first and its last address), near one place, so that entries overlap and touch."""
    make = ipaddress.IPv4Address if version == 4 else ipaddress.IPv6Address
    first = _NEAR[version] + draw(st.integers(0, 40))
    match draw(st.sampled_from(["one", "range", "network"])):
        case "one":
            return str(make(first)), first, first
        case "range":
            last = first + draw(st.integers(0, 9))
            return f"{make(first)}-{make(last)}", first, last
        case _:
            size = draw(st.integers(0, 5))
            network = ipaddress.ip_network(f"{make(first)}/{make(0).max_prefixlen - size}", strict=False)
            return str(network), int(network[0]), int(network[-1])


@given(st.data(), st.sampled_from([4, 6]))
def test_address_list_matches_union_of_entries(data: st.DataObject, version: int) -> None:
    entries = data.draw(st.lists(_entries(version), max_size=8))
    other = data.draw(st.lists(_entries(10 - version), max_size=2))
    addresses = AddressSet(text for text, _, _ in [*entries, *other])
    make = ipaddress.IPv4Address if version == 4 else ipaddress.IPv6Address
    for number in range(_NEAR[version] - 2, _NEAR[version] + 90):
        expected = any(first <= number <= last for _, first, last in entries)
        assert addresses.contains(str(make(number))) is expected, make(number)


@given(_NUMBERS[4], st.integers(0, 32), _NUMBERS[4])
def test_address_network_matches_ipaddress_module(start: int, length: int, asked: int) -> None:
    network = ipaddress.ip_network((start, length), strict=False)
    address = ipaddress.IPv4Address(asked)
    held = AddressSet([f"{network.network_address}/{network.netmask}"])
    assert held.contains(str(address)) is held.contains(f"::ffff:{address}") is (address in network)
    assert held.contains(str(network[-1]))

"""The addresses that may be called."""

import ipaddress
import socket

import pytest

from trackyard.outbound.guard import AddressBlocked, AddressFilter

REFUSED = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.0.9",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.1.1.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
]
PERMITTED = ["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("text", REFUSED)
def test_outbound_guard_rejects_private_addresses(text: str) -> None:
    assert not AddressFilter().permits(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", PERMITTED)
def test_outbound_guard_permits_public_addresses(text: str) -> None:
    assert AddressFilter().permits(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", ["127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"])
def test_outbound_guard_permits_allowed_network_in_any_notation(text: str) -> None:
    guard = AddressFilter([ipaddress.ip_network("127.0.0.0/8")])
    assert guard.permits(ipaddress.ip_address(text))
    assert not guard.permits(ipaddress.ip_address("10.0.0.1"))
    assert not guard.permits(ipaddress.ip_address("::1"))


def test_outbound_guard_opens_no_socket_to_rejected_address() -> None:
    with pytest.raises(AddressBlocked):
        AddressFilter().open_socket((socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("fe80::1%eth0", 80, 0, 2)))

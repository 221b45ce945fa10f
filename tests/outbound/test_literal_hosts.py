"""Hosts that name an address without a look-up, in each spelling that systems read."""

import ipaddress

import pytest

from trackyard.outbound.literal_hosts import refused_host

REFUSED = {
    "http://127.0.0.1/": "loopback",
    "http://127.0.0.1:8080/p?c={clickid}": "with a port and a macro behind it",
    "https://10.1.2.3/": "private",
    "https://192.168.0.1/": "private",
    "https://172.16.0.9/": "private",
    "https://100.64.0.1/": "shared by providers",
    "http://169.254.169.254/latest/meta-data": "metadata of clouds",
    "http://metadata.google.internal/": "metadata by its name",
    "http://168.63.129.16/": "host service of a cloud on a public address",
    "http://0.0.0.0/": "this host",
    "http://0/": "this host in one number",
    "http://2130706433/": "127.0.0.1 in decimal",
    "http://0x7f000001/": "in hexadecimal",
    "http://017700000001/": "in octal",
    "http://0177.0.0.1/": "octal parts",
    "http://0x7f.0.0.1/": "hexadecimal parts",
    "http://127.1/": "two parts",
    "http://127.0.1/": "three parts",
    "http://10.258/": "two parts, the last of which is 24 bits",
    "http://[::1]/": "loopback of IPv6",
    "http://[0:0:0:0:0:0:0:1]/": "the same at length",
    "http://[::ffff:127.0.0.1]/": "IPv4 in IPv6",
    "http://[::ffff:7f00:1]/": "the same in hexadecimal",
    "http://[64:ff9b::10.0.0.1]/": "NAT64",
    "http://[fe80::1]/": "link-local",
    "http://[fe80::1%25eth0]/": "with a zone",
    "http://[fd00::1]/": "unique local",
    "http://localhost/": "by its name",
    "http://LOCALHOST:9/": "in capitals",
    "http://localhost./": "with a dot behind it",
    "http://shop.localhost/": "below it",
    "http://127.0.0.1./": "an address with a dot behind it",
    "http://user:pw@127.0.0.1/": "behind a name and a password",
    "http://shop.example@10.0.0.1/": "behind what looks like a host",
    "http://%31%32%37.0.0.1/": "percent-encoded",
    "http://１２７.0.0.1/": "full-width digits",
    "http://127。0。0。1/": "ideographic dots",
}
TAKEN = {
    "https://shop.example/": "a name is looked up at each call",
    "https://8.8.8.8/": "public",
    "https://[2606:4700::1111]/": "public IPv6",
    "http://134744072/": "8.8.8.8 in decimal",
    "https://{sub1}.example/": "a macro in the host",
    "https://{sub1}/": "a macro as the host",
    "https://10.example/": "a name that begins with a number",
    "https://127.0.0.1.example/": "a name that begins like an address",
    "https://localhost.example/": "a name that begins like localhost",
    "https://mylocalhost/": "a name that ends like localhost",
    "https://256.1.1.1/": "no address",
    "https://1.2.3.4.5/": "no address",
}


@pytest.mark.parametrize("url", REFUSED)
def test_private_address_in_a_url_is_refused(url: str) -> None:
    assert refused_host(url), REFUSED[url]


@pytest.mark.parametrize("url", TAKEN)
def test_public_or_looked_up_host_is_taken(url: str) -> None:
    assert refused_host(url) == "", TAKEN[url]


def test_allowed_network_is_taken_and_spellings_were_seen() -> None:
    allow = [ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("10.0.0.0/8")]
    assert not refused_host("http://127.1/", allow) and not refused_host("http://localhost/", allow)
    assert refused_host("http://192.168.0.1/", allow) == "192.168.0.1"
    assert (len(REFUSED), len(TAKEN)) == (37, 12)

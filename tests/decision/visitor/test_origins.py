"""Origins of addresses: the file, its sources, and what a look-up finds."""

import random
import struct
import zipfile
from ipaddress import IPv4Address
from pathlib import Path

import pytest

from trackyard.decision.targeting.ip_lists import address_number
from trackyard.decision.visitor.databases import AddressDatabases, InvalidDatabase
from trackyard.decision.visitor.geo import GeoLookup, proxy_signals
from trackyard.decision.visitor.origin_sources import read_networks, read_wheel
from trackyard.decision.visitor.origins import MAGIC, ORIGIN_FILE, InvalidOrigins, OriginTable, pack_origins
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.statistics.quality.origins import (
    HOSTING,
    PROXY,
    RELAY,
    SIGNALS,
    TOR,
    VPN,
    is_marked,
    names_of,
    origins_with,
)

CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"


def table(path: Path, **networks: str) -> OriginTable:
    path.write_bytes(packed(path.parent, **networks))
    return OriginTable.of_file(path)


def packed(folder: Path, **networks: str) -> bytes:
    found = [], []
    for name, text in networks.items():
        (folder / "networks.txt").write_text(text.replace(" ", "\n"))
        source = read_networks(folder / "networks.txt", SIGNALS[name])
        found[0].extend(source.ipv4)
        found[1].extend(source.ipv6)
    return pack_origins(*found, 1_790_000_000, ["test"])


def test_an_address_has_the_signals_of_all_networks_around_it(tmp_path: Path) -> None:
    made = table(
        tmp_path / "o.bin", hosting="10.0.0.0/8 2001:db8::/32", tor="10.1.2.3 2001:db8:0:7::1", vpn="10.1.0.0/16"
    )
    found = {
        ip: made.find(address_number(ip)) for ip in ("9.255.255.255", "10.0.0.0", "10.1.2.2", "10.1.2.3", "11.0.0.0")
    }
    assert list(found.values()) == [0, HOSTING, HOSTING | VPN, HOSTING | VPN | TOR, 0]
    assert [made.find(address_number(ip)) for ip in ("2001:db8:0:7::9", "2001:db8:0:8::9", "2001:db9::")] == [5, 1, 0]
    assert made.built_at == 1_790_000_000 and [len(spans) for spans in made.spans()] == [5, 3]


def test_lookup_finds_the_signals_of_each_address_in_any_order(tmp_path: Path) -> None:
    chance = random.Random(4)
    networks = [f"{IPv4Address(chance.getrandbits(32))}/{chance.choice((9, 14, 17, 23, 26, 32))}" for _ in range(60)]
    file = tmp_path / "o.bin"
    made = table(file, hosting=" ".join(networks[:40]), tor=" ".join(networks[40:]))
    numbers = [
        number
        for spans in made.spans()[:1]
        for first, last, _ in spans
        for number in (first - 1, first, last, last + 1)
    ]
    numbers += [number ^ chance.getrandbits(10) for number in numbers] + [chance.getrandbits(32) for _ in range(300)]
    chance.shuffle(numbers)
    places, plain = GeoLookup(AddressDatabases(origins=(file,))), GeoLookup(AddressDatabases(origins=()))
    for number in [each % 2**32 for each in numbers]:
        ip = str(IPv4Address(number))
        found = places.find(ip, number)
        assert (found.origin, found.place) == (made.find(number), plain.find(ip, number).place), ip


def test_a_lookup_reads_a_file_of_origins_that_appears_and_changes(tmp_path: Path) -> None:
    file = tmp_path / "own.bin"
    places = GeoLookup(AddressDatabases(origins=(file, ORIGIN_FILE)))
    google, home = "8.8.8.8", "193.0.0.1"

    def found() -> list[int]:
        places.refresh()
        return [places.find(ip, address_number(ip)).origin for ip in (google, home)]

    assert found() == [HOSTING, 0]
    table(file, vpn="193.0.0.0/24")
    assert found() == [0, VPN]
    file.write_bytes(b"half a file")
    assert found() == [0, VPN], "a file that cannot be used changes nothing"


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "not a file of origins"), (MAGIC + b"x", "damaged"), (packed.__name__.encode(), "not a file of origins")],
)
def test_a_file_of_another_form_is_named_as_such(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "o.bin").write_bytes(content)
    with pytest.raises(InvalidOrigins, match=reason):
        OriginTable.of_file(tmp_path / "o.bin")
    with pytest.raises(InvalidDatabase, match=reason):
        AddressDatabases(origins=(tmp_path / "o.bin",)).check()


def test_a_list_of_networks_names_the_line_that_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "tor.txt").write_text("# exits\n192.0.2.1\n\n192.0.2.300  # no address\n")
    with pytest.raises(InvalidOrigins, match=r"tor.txt, line 4: 192.0.2.300 is neither an IP address nor a network"):
        read_networks(tmp_path / "tor.txt", TOR)


def test_a_wheel_gives_the_networks_that_have_a_licence(tmp_path: Path) -> None:
    labels = [b"Hetzner\thosting", b"DataCamp\tcdn", b"Apple Private Relay\tvpn", b"Tor\ttor"]
    content = struct.pack("<8sHQHII", b"IPORIGIN", 1, 77, len(labels), 4, 1)
    content += b"".join(struct.pack("<H", len(label)) + label for label in labels)
    content += b"".join(struct.pack("<IIH", 10 * n, 10 * n + 9, n) for n in range(4))
    content += struct.pack("<16s16sH", (5 << 64).to_bytes(16, "big"), (6 << 64).to_bytes(16, "big"), 0)
    with zipfile.ZipFile(tmp_path / "made.whl", "w") as wheel:
        wheel.writestr("iporigin/data/ranges.bin", content)
    found = read_wheel(tmp_path / "made.whl")
    assert (found.ipv4, found.ipv6, found.built_at) == (
        [(0, 9, HOSTING), (20, 29, RELAY), (30, 39, TOR)],
        [(5, 6, HOSTING)],
        77,
    )


def test_shipped_file_knows_large_networks() -> None:
    made = OriginTable.of_file(ORIGIN_FILE)
    assert names_of(made.find(address_number("52.95.110.1"))) == ("hosting",)
    assert names_of(made.find(address_number("66.249.66.1"))) == ("bot",)
    assert made.find(address_number("193.0.0.1")) == 0


@pytest.mark.parametrize(
    ("record", "signals"),
    [
        ({}, 0),
        ({"is_anonymous": True, "is_tor_exit_node": True}, TOR),
        ({"is_anonymous": True, "is_anonymous_vpn": True, "is_hosting_provider": True}, VPN | HOSTING),
        ({"is_anonymous": True, "is_residential_proxy": True}, PROXY),
        ({"is_anonymous": True}, PROXY),
    ],
)
def test_a_record_of_anonymous_addresses_has_signals(record: dict[str, bool], signals: int) -> None:
    assert proxy_signals(record) == signals


def test_a_user_agent_has_signals() -> None:
    visitors = VisitorLookup()
    assert names_of(visitors.read(CHROME).origin) == ()
    assert names_of(visitors.read(CHROME.replace("Chrome/", "HeadlessChrome/")).origin) == ("bot", "headless")
    assert names_of(visitors.read(f"{CHROME} Playwright").origin)[-1:] == ("headless",)


def test_choices_of_reports_divide_all_values() -> None:
    marked, clean = set(origins_with(["marked"])), set(origins_with(["clean"]))
    assert marked | clean == set(range(256)) and not marked & clean
    assert origins_with(["relay", "prefetch"]) == tuple(each for each in range(256) if each & (16 | 64))
    assert not is_marked(RELAY) and 0 in clean

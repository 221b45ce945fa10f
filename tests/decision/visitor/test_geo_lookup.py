"""Places of addresses, from databases in MaxMind's format."""

import logging
import os
import random
from ipaddress import IPv4Address, ip_network
from pathlib import Path
from typing import Any

import maxminddb
import pytest

from tests.support.clicks.mmdb import write_mmdb
from trackyard.decision.visitor.databases import COUNTRY_DATABASE, AddressDatabases, InvalidDatabase
from trackyard.decision.visitor.geo import GeoLookup, GeoRecord, country_of

LONDON = {
    "city": {"geoname_id": 2643743, "names": {"en": "London", "ru": "Лондон"}},
    "country": {"geoname_id": 2635167, "iso_code": "GB"},
    "subdivisions": [{"geoname_id": 6269131, "iso_code": "ENG"}, {"geoname_id": 2648110, "iso_code": "LND"}],
}


def databases(directory: Path, **records: dict[str, Any]) -> AddressDatabases:
    types = {
        "country": "GeoLite2-Country", "city": "GeoIP2-City", "isp": "GeoIP2-ISP",
        "connection": "GeoIP2-Connection-Type", "proxy": "GeoIP2-Anonymous-IP",
    }  # fmt: skip
    files = {kind: write_mmdb(directory / f"{kind}.mmdb", networks, types[kind]) for kind, networks in records.items()}
    return AddressDatabases(**files)


def place_of(directory: Path, ip: str = "81.2.69.142", **records: Any) -> GeoRecord:
    places = GeoLookup(databases(directory, **{kind: {"81.2.69.0/24": record} for kind, record in records.items()}))
    found = [places.place(ip), places.place(ip)]
    places.close()
    assert found[0] == found[1]
    return found[0]


def test_geo_lookup_merges_all_five_databases(tmp_path: Path) -> None:
    found = place_of(
        tmp_path,
        country={"country": {"iso_code": "FR"}},
        city=LONDON | {"postal": {"code": "SW1A"}},
        isp={"isp": "Andrews & Arnold Ltd", "organization": "STONEHOUSE office network"},
        connection={"connection_type": "Cellular"},
        proxy={"is_anonymous": True, "is_tor_exit_node": True},
    )
    assert found == GeoRecord(
        "GB", 6269131, 2643743, "London", "Andrews & Arnold Ltd", "cellular", True, "SW1A", "STONEHOUSE office network"
    )


def test_geo_lookup_without_databases_knows_country_only() -> None:
    places = GeoLookup(AddressDatabases())
    assert [places.place(ip) for ip in ("8.8.8.8", "127.0.0.1", "")] == [GeoRecord("US"), GeoRecord(), GeoRecord()]
    places.close()


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"country": {"iso_code": "GB"}}, GeoRecord("GB")),
        ({"continent": {"code": "EU"}}, GeoRecord("FR")),
        ({"country": {"iso_code": "GB"}, "subdivisions": []}, GeoRecord("GB")),
        ({"city": {"geoname_id": 5, "names": {"de": "Ort"}}}, GeoRecord("FR", 0, 5)),
        ({"city": "London", "subdivisions": "England", "country": "GB"}, GeoRecord("FR")),
        ({"city": {"geoname_id": "5", "names": "Ort"}, "subdivisions": [7]}, GeoRecord("FR")),
        ([1, 2], GeoRecord("FR")),
    ],
)
def test_geo_lookup_of_partial_city_record_keeps_known_parts(tmp_path: Path, record: Any, found: GeoRecord) -> None:
    assert place_of(tmp_path, country={"country_code": "FR"}, city=record) == found


@pytest.mark.parametrize(
    ("record", "isp"),
    [
        ({"autonomous_system_organization": "Google Inc.", "autonomous_system_number": 15169}, "Google Inc."),
        ({"isp": "Telstra Internet", "autonomous_system_organization": "Telstra Pty Ltd"}, "Telstra Internet"),
        ({"organization": "A customer"}, ""),
        ({"isp": 5}, ""),
    ],
)
def test_geo_lookup_isp_name_has_fallbacks(tmp_path: Path, record: Any, isp: str) -> None:
    assert place_of(tmp_path, isp=record).isp == isp


@pytest.mark.parametrize(
    ("named", "connection"),
    [
        ("Cellular", "cellular"),
        ("Cable/DSL", "wi-fi"),
        ("Corporate", "wi-fi"),
        ("Dialup", "wi-fi"),
        ("Satellite", "wi-fi"),
        ("Unheard of", ""),
        (7, ""),
    ],
)
def test_connection_type_mapping(tmp_path: Path, named: Any, connection: str) -> None:
    assert place_of(tmp_path, connection={"connection_type": named}).connection == connection


@pytest.mark.parametrize(
    ("record", "proxy"),
    [
        ({"is_anonymous": True}, True),
        ({"is_anonymous_vpn": True}, True),
        ({"is_hosting_provider": True}, True),
        ({"is_public_proxy": True}, True),
        ({"is_residential_proxy": True}, True),
        ({"is_tor_exit_node": True}, True),
        ({"is_anonymous": False}, False),
        ({"network_last_seen": "2026-01-01"}, False),
        ({}, False),
    ],
)
def test_geo_lookup_proxy_flags_mapping(tmp_path: Path, record: Any, proxy: bool) -> None:
    assert place_of(tmp_path, proxy=record).proxy is proxy


def test_geo_lookup_of_unlisted_address_has_country_only(tmp_path: Path) -> None:
    records: dict[str, Any] = {"city": LONDON, "isp": {"isp": "A"}, "connection": {"connection_type": "Cellular"}}
    assert place_of(tmp_path, "8.8.8.8", **records, proxy={"is_anonymous": True}) == GeoRecord("US")


def test_geo_lookup_of_ipv6_in_ipv4_database_is_empty(tmp_path: Path) -> None:
    file = write_mmdb(tmp_path / "isp.mmdb", {"8.8.8.0/24": {"isp": "Google"}}, "GeoIP2-ISP", ip_version=4)
    places = GeoLookup(AddressDatabases(isp=file))
    assert [places.place(ip).isp for ip in ("8.8.8.8", "2001:4860:4860::8888")] == ["Google", ""]
    places.close()


# --- files ------------------------------------------------------------------------------------------------


def test_geo_database_of_wrong_kind_is_an_error(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("no database")
    asn = write_mmdb(tmp_path / "asn.mmdb", {"8.8.8.0/24": {}}, "GeoLite2-ASN")
    for given, sentence in (
        (AddressDatabases(country=text), "it is not an MMDB file"),
        (AddressDatabases(city=asn), "it is of the type GeoLite2-ASN, not City or Enterprise"),
        (AddressDatabases(isp=text), "it is not an MMDB file"),
        (AddressDatabases(connection=asn), "it is of the type GeoLite2-ASN, not Connection-Type"),
        (AddressDatabases(proxy=asn), "it is of the type GeoLite2-ASN, not Anonymous"),
        (AddressDatabases(proxy=tmp_path / "none"), "No such file or directory"),
        (AddressDatabases(proxy=tmp_path), "Is a directory"),
    ):
        with pytest.raises(InvalidDatabase) as raised:
            given.check()
        assert str(raised.value) == sentence
    AddressDatabases(country=asn, isp=asn).check()


def refreshed(places: GeoLookup, caplog: pytest.LogCaptureFixture) -> list[str]:
    caplog.clear()
    with caplog.at_level(logging.INFO, "trackyard.decision"):
        places.refresh()
    return [record.levelname for record in caplog.records]


def isp(path: Path, name: str) -> Path:
    return write_mmdb(path, {"8.8.8.0/24": {"isp": name}}, "GeoIP2-ISP")


def test_geo_database_replaced_file_is_reloaded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = isp(tmp_path / "isp.mmdb", "Old")
    places = GeoLookup(AddressDatabases(isp=path))
    assert places.place("8.8.8.8").isp == "Old"
    assert refreshed(places, caplog) == [] and places.place("8.8.8.8").isp == "Old"
    isp(tmp_path / "new.mmdb", "New").replace(path)
    assert places.place("8.8.8.8").isp == "Old"
    assert refreshed(places, caplog) == ["INFO"] and places.place("8.8.8.8") == GeoRecord("US", isp="New")
    assert refreshed(places, caplog) == []
    places.close()


def test_geo_database_replaced_by_broken_file_keeps_old_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, broken = isp(tmp_path / "isp.mmdb", "Old"), tmp_path / "broken.mmdb"
    places = GeoLookup(AddressDatabases(isp=path))
    for content in (b"", path.read_bytes()[:-100], b"x" * 1000):
        broken.write_bytes(content)
        broken.replace(path)
        assert refreshed(places, caplog) == ["ERROR"], content
        assert refreshed(places, caplog) == []
        assert places.place("8.8.8.8").isp == "Old"
    path.unlink()
    assert refreshed(places, caplog) == ["ERROR"] and places.place("8.8.8.8").isp == "Old"
    write_mmdb(path, {}, "GeoIP2-City")
    assert refreshed(places, caplog) == ["ERROR"] and places.place("8.8.8.8").isp == "Old"
    isp(path, "New")
    assert refreshed(places, caplog) == ["INFO"] and places.place("8.8.8.8").isp == "New"
    places.close()


def test_geo_database_truncated_in_place_keeps_answering(tmp_path: Path) -> None:
    """A mapped file that ends early would end the process at the next look into it."""
    networks: dict[str, Any] = {f"9.{number}.0.0/16": {"isp": f"Provider {number}"} for number in range(256)}
    path = write_mmdb(tmp_path / "isp.mmdb", networks, "GeoIP2-ISP")
    places = GeoLookup(AddressDatabases(isp=path))
    os.truncate(path, 0)
    assert [places.place(f"9.{number}.0.1").isp for number in range(256)] == [f"Provider {n}" for n in range(256)]
    places.close()


def test_geo_database_damaged_record_is_unknown_and_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = isp(tmp_path / "isp.mmdb", "A provider")
    content = path.read_bytes()
    at = content.index(b"A provider") - 1  # the name becomes a pointer to far outside
    path.write_bytes(content[:at] + b"\x38\xff\xff\xff\xff" + content[at + 5 :])
    with pytest.raises(maxminddb.InvalidDatabaseError), maxminddb.open_database(path) as reader:
        reader.get("8.8.8.8")
    places = GeoLookup(AddressDatabases(isp=path), cache_size=1)
    assert [places.place(f"8.8.8.{number}") for number in range(8)] == [GeoRecord("US")] * 8
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    places.close()


def test_geo_database_that_cannot_be_opened_is_skipped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    text = tmp_path / "a.txt"
    text.write_text("no database")
    places = GeoLookup(AddressDatabases(country=text, city=text))
    assert places.place("8.8.8.8") == GeoRecord("US")
    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]
    places.close()


def test_geo_lookup_cache_is_bounded(tmp_path: Path) -> None:
    places = GeoLookup(AddressDatabases(), cache_size=10)
    for number in range(1000):
        places.place(f"2001:db8::{number:x}")
    assert len(places._opened.places) <= 20
    places.close()


def test_geo_lookup_is_independent_of_lookup_order(tmp_path: Path) -> None:
    networks = {
        "10.0.0.0/8": {"country": {"iso_code": "FR"}},
        "11.0.0.0/16": {"country": {"iso_code": "DE"}},
        "11.1.0.0/17": {"country": {"iso_code": "IT"}},
        "11.1.128.0/17": {"country": {"iso_code": "ES"}},
        "12.0.0.0/23": {"country": {"iso_code": "SE"}},
        "12.0.2.0/25": {"country": {"iso_code": "NO"}},
        "12.0.2.128/25": {"country": {"iso_code": "FI"}},
        "1.1.0.0/16": {"country": {"iso_code": "GB"}},
        "2001:db8::/32": {"country": {"iso_code": "PL"}},
    }
    expected = {
        "10.1.2.3": "FR", "10.1.200.3": "FR", "10.11.0.1": "FR", "11.0.0.1": "DE", "11.0.255.1": "DE", "11.1.0.1": "IT",
        "11.1.127.9": "IT", "11.1.128.1": "ES", "11.2.0.1": "", "1.1.0.1": "GB", "1.10.0.1": "", "2001:db8::1": "PL",
        "2001:db9::1": "", "::": "", "": "", "12.0.0.1": "SE", "12.0.1.255": "SE", "12.0.2.1": "NO", "12.0.2.127": "NO",
        "12.0.2.128": "FI", "12.0.3.0": "",
    }  # fmt: skip
    database = write_mmdb(tmp_path / "country.mmdb", networks, "GeoLite2-Country")
    for order in (list(expected), list(reversed(expected)), list(expected) * 2):
        places = GeoLookup(AddressDatabases(country=database))
        assert {ip: places.place(ip).country for ip in order} == expected
        places.close()


def test_geo_database_with_many_countries_is_read(tmp_path: Path) -> None:
    networks = {f"10.{n // 200}.{n % 200}.0/24": {"country": {"iso_code": f"C{n}"}} for n in range(600)}
    places = GeoLookup(AddressDatabases(country=write_mmdb(tmp_path / "country.mmdb", networks, "GeoLite2-Country")))
    for _ in range(2):
        found = {f"C{n}": places.place(f"10.{n // 200}.{n % 200}.{n % 250}").country for n in range(600)}
        assert list(found) == list(found.values())
    places.close()


def test_geo_builtin_countries_equal_database_file() -> None:
    choose = random.Random(1)
    ips = [IPv4Address(choose.getrandbits(32)) for _ in range(5_000)]
    places = GeoLookup(AddressDatabases())
    with maxminddb.open_database(COUNTRY_DATABASE) as reader:
        # The record of a network must not be used for its neighbours.
        networks = [ip_network((ip, reader.get_with_prefix_len(ip)[1]), strict=False) for ip in ips]
        ends = [int(end) + step for network in networks for end in (network[0], network[-1]) for step in (-1, 0, 1)]
        for ip in ips + [IPv4Address(end) for end in ends if 0 <= end < 2**32]:
            assert places.place(str(ip)).country == country_of(reader.get(ip)), ip
    places.close()

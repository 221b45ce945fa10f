"""Writes address databases (MMDB) for tests: a few networks and what is known of each."""

from pathlib import Path
from typing import Any

from mmdb_writer import MMDBWriter
from netaddr import IPSet


def write_mmdb(path: Path, networks: dict[str, Any], kind: str = "Test", *, ip_version: int = 6) -> Path:
    """A database of the type `kind`; one of version 6 holds IPv4 networks too. Networks must not overlap."""
    writer = MMDBWriter(ip_version, kind, languages=["en"], description=kind, ipv4_compatible=ip_version == 6)
    for network, record in networks.items():
        writer.insert_network(IPSet([network]), record)
    writer.to_db_file(str(path))
    return path

"""Writes the address databases of the demonstration; run by script/demo-databases."""

from pathlib import Path

from tests.support.clicks.mmdb import write_mmdb
from trackyard.commands.demo.places import DATABASES, records

KINDS = {"city": "City", "isp": "ISP", "connection": "Connection-Type"}


def write(name: str, path: Path) -> None:
    """Writes one database."""
    write_mmdb(path, records(name), KINDS[name], ip_version=4)


if __name__ == "__main__":
    for name, path in DATABASES.items():
        write(name, path)

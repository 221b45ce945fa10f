"""The results of reading user agents: systems with their versions, browsers, vendors.

Every name is from `data/agents.tsv`, which script/agents generates from the data with which visitor.py reads agents.
"""

from functools import cache
from importlib import resources


def systems() -> tuple[str, ...]:
    """Return the operating systems, by name."""
    return tuple(_rows("system"))


def versions(system: str) -> tuple[str, ...]:
    """Return the known versions of a system, oldest first; none for an unknown system."""
    return _rows("system").get(system, ())


def browsers() -> tuple[str, ...]:
    """Return the browsers, by name."""
    return tuple(_rows("browser"))


def vendors() -> tuple[str, ...]:
    """Return the makers of devices, by name."""
    return tuple(_rows("vendor"))


@cache
def _rows(kind: str) -> dict[str, tuple[str, ...]]:
    """Return the names of a kind, with the further columns of the file."""
    text = resources.files("trackyard.decision.visitor").joinpath("data", "agents.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {name: tuple(versions) for found, name, *versions in rows if found == kind}

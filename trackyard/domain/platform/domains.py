"""Domains of tracking links (docs/api/domains.md)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Domain:
    """A host of tracking links.

    url: the host, with its port when it is not the scheme's.
    created_at, updated_at: UTC milliseconds.
    """

    id: int
    url: str
    use_https: bool
    created_at: int
    updated_at: int

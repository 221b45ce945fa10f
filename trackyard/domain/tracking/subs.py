"""The subs of a click: eight values that affiliates add to their links."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

SUBS: Final = tuple(f"sub{number}" for number in range(1, 9))
"""The names of subs as parameters, macros, columns and slices."""


def encrypted_sub(value: str, key: str) -> str:
    """Return a sub as an advertiser with encrypted subs gets it: 16 hex digits for each value.

    key: of the advertiser, in hex; "" = its subs are not encrypted. An empty sub stays empty.
    """
    if not key or not value:
        return value
    return blake2b(value.encode("utf-8", "replace"), digest_size=8, key=bytes.fromhex(key)).hexdigest()


def with_encrypted_subs(click: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the record of a click with codes for subs, see `encrypted_sub`."""
    return {**click, **{name: encrypted_sub(str(click[name]), key) for name in SUBS}} if key else click

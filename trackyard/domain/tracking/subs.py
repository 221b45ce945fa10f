"""The subs of a click: eight values that affiliates add to their links."""

from collections.abc import Collection, Mapping
from hashlib import blake2b
from typing import Any, Final

SUBS: Final = tuple(f"sub{number}" for number in range(1, 9))
"""The names of subs as parameters, macros, columns and slices."""


def encrypted_sub(value: str, key: str, affiliate_id: int) -> str:
    """Return a sub as an advertiser with encrypted subs gets it.

    The result has 16 hex digits for each value of an affiliate.

    key: the advertiser's key, in hex; "" = its subs are not encrypted. An empty sub stays empty.
    affiliate_id: the click's affiliate, so that a guess needs a click of the same affiliate; 0 = none.
    """
    if not key or not value:
        return value
    salt = affiliate_id.to_bytes(8, "big")
    return blake2b(value.encode("utf-8", "replace"), digest_size=8, key=bytes.fromhex(key), salt=salt).hexdigest()


def encrypted_condition(value: str, key: str, affiliate_ids: Collection[int]) -> list[str]:
    """Return a sub of a condition as an advertiser gets it: a code for each affiliate.

    affiliate_ids: () = all; the code is then that of no affiliate. Without a key: the value, once.
    """
    return [encrypted_sub(value, key, each) for each in affiliate_ids or (0,)] if key else [value]


def with_encrypted_subs(click: Mapping[str, Any], key: str, affiliate_id: int) -> Mapping[str, Any]:
    """Return the record of a click with codes for subs, see `encrypted_sub`."""
    return {**click, **{name: encrypted_sub(str(click[name]), key, affiliate_id) for name in SUBS}} if key else click

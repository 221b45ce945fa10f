"""The subs of a click: eight values that affiliates add to their links."""

from collections.abc import Collection, Mapping
from hashlib import blake2b
from inspect import get_annotations
from typing import Any, Final, TypeVar, cast

import msgspec

S = TypeVar("S", bound=msgspec.Struct)

SUBS: Final = tuple(f"sub{number}" for number in range(1, 9))
"""The names of subs as parameters, macros, columns and slices."""
_KEPT: Final = ("__module__", "__doc__", "guarded")
"""Attributes of a struct that the struct with more fields has too."""


def with_subs(struct: type[S], names: Collection[str] = SUBS) -> type[S]:
    """Return a struct that states sub1 alone with the other subs after it, alike in type and default."""
    own = get_annotations(struct)
    defaults = {each.name: each.default for each in msgspec.structs.fields(struct) if not each.required}
    fields: list[Any] = []
    for name, kind in own.items():
        for each in names if name == SUBS[0] else (name,):
            fields.append((each, kind, defaults[name]) if name in defaults else (each, kind))
    config = struct.__struct_config__
    made: Any = msgspec.defstruct(
        struct.__name__,
        fields,
        bases=struct.__bases__,
        namespace={name: value for name, value in vars(struct).items() if name in _KEPT},
        module=struct.__module__,
        frozen=config.frozen,
        kw_only=bool(defaults.keys() & own.keys()),
    )
    return cast("type[S]", made)


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

    affiliate_ids: () = all; the code then belongs to no affiliate. Without a key: the value, once.
    """
    return [encrypted_sub(value, key, each) for each in affiliate_ids or (0,)] if key else [value]


def with_encrypted_subs(click: Mapping[str, Any], key: str, affiliate_id: int) -> Mapping[str, Any]:
    """Return the record of a click with codes for subs, see `encrypted_sub`."""
    return {**click, **{name: encrypted_sub(str(click[name]), key, affiliate_id) for name in SUBS}} if key else click

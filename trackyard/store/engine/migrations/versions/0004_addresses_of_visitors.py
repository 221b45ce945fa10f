"""Move address lists of offers to targeting, and file offers under the countries of their targeting.

From this version on an offer's allowed_ip and disallowed_ip are for callers of postbacks only; visitors have targeting.
So that no offer loses a filter of visitors, each non-empty list is copied into every targeting group of its offer:

- disallowed_ip joins the denied addresses of the group.
- allowed_ip becomes the allowed addresses of the group. Where the group has some already, both lists are intersected
  as ranges of addresses. When they have no address in common, 0.0.0.0 is allowed, which no visitor has.
- An offer without a group for all affiliates gets one with the lists alone. Where it has groups for some affiliates,
  consider_personal_targeting_only is switched on: otherwise the new group would let in what those groups reject.

The lists of the offer stay for its postbacks. Removed offers stay as they are. Edges get the changed offers with the
next version of the rules.
"""

import ipaddress
from collections.abc import Iterator
from typing import Any, NamedTuple

import sqlalchemy as sa
from alembic import op

from trackyard.store.engine.types import Document

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_CHUNK = 500
_NOWHERE = "0.0.0.0"

_offer = sa.table(
    "offer",
    sa.column("id", sa.Integer),
    sa.column("removed_at", sa.BigInteger),
    sa.column("countries", Document),
    sa.column("restriction_os", Document),
    sa.column("targeting", Document),
    sa.column("consider_personal_targeting_only", sa.Boolean),
    sa.column("allowed_ip", sa.Text),
    sa.column("disallowed_ip", sa.Text),
)
_label = sa.table(
    "offer_label", sa.column("kind", sa.String), sa.column("value", sa.String), sa.column("offer_id", sa.Integer)
)
_clock = sa.table("rule_clock", sa.column("id", sa.Integer), sa.column("version", sa.BigInteger))
_change = sa.table(
    "rule_change", sa.column("kind", sa.String), sa.column("key", sa.String), sa.column("version", sa.BigInteger)
)


class _Span(NamedTuple):
    """Addresses from `first` to `last`, inclusive, as numbers. version: 4 or 6."""

    version: int
    first: int
    last: int


def upgrade() -> None:
    """Copy the lists, touch the rules of the changed offers, and write the labels again."""
    connection = op.get_bind()
    changed = []
    for row in _each_offer(connection):
        targeting, personal_only = row.targeting, row.consider_personal_targeting_only
        if row.allowed_ip.strip() or row.disallowed_ip.strip():
            targeting, personal_only = _restricted(row)
            connection.execute(
                sa.update(_offer)
                .where(_offer.c.id == row.id)
                .values(targeting=targeting, consider_personal_targeting_only=personal_only)
            )
            changed.append(row.id)
        if targeting:
            _file(connection, row.id, "country", _countries(row.countries, targeting))
            _file(connection, row.id, "os", _systems(row.restriction_os, targeting))
    _touch(connection, changed)


def _each_offer(connection: sa.Connection) -> Iterator[Any]:
    last = 0
    while True:
        query = sa.select(_offer).where(_offer.c.id > last, _offer.c.removed_at.is_(None))
        rows = connection.execute(query.order_by(_offer.c.id).limit(_CHUNK)).all()
        if not rows:
            return
        yield from rows
        last = rows[-1].id


def _restricted(row: Any) -> tuple[list[dict[str, Any]], bool]:
    """Return the targeting groups with the lists of the offer, and whether personal groups count alone."""
    allowed, denied = _entries(row.allowed_ip), _entries(row.disallowed_ip)
    groups = list(row.targeting)
    personal_only = bool(row.consider_personal_targeting_only)
    if all(group.get("affiliate_id") for group in groups):
        personal_only = personal_only or bool(groups)
        groups.append({})
    return [_with_lists(group, allowed, denied) for group in groups], personal_only


def _with_lists(group: dict[str, Any], allowed: list[str], denied: list[str]) -> dict[str, Any]:
    held = group.get("ip") or {}
    before = list(held.get("allow") or ())
    deny = list(dict.fromkeys([*(held.get("deny") or ()), *denied]))
    allow = _common(before, allowed) if before and allowed else before or allowed
    return group | {"ip": {"allow": allow, "deny": deny}}


def _common(one: list[str], other: list[str]) -> list[str]:
    """Return the addresses that are in both lists, as entries."""
    if set(one) == set(other):
        return one
    found = []
    others = [span for entry in other if (span := _span(entry)) is not None]
    for entry in one:
        span = _span(entry)
        if span is None:
            continue
        for each in others:
            first, last = max(span.first, each.first), min(span.last, each.last)
            if each.version == span.version and first <= last:
                found.append(_entry(_Span(span.version, first, last)))
    return list(dict.fromkeys(found)) or [_NOWHERE]


def _entries(text: str) -> list[str]:
    return list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


def _span(entry: str) -> _Span | None:
    """Return the addresses of an entry (an address, a range a-b or a network a/n); None for anything else."""
    try:
        if "/" in entry:
            network = ipaddress.ip_network(entry.strip(), strict=False)
            begin, end = network[0], network[-1]
        else:
            first, dash, last = entry.partition("-")
            begin = ipaddress.ip_address(first.strip())
            end = ipaddress.ip_address(last.strip()) if dash else begin
    except ValueError:
        return None
    first_mapped, last_mapped = getattr(begin, "ipv4_mapped", None), getattr(end, "ipv4_mapped", None)
    if first_mapped is not None and last_mapped is not None:
        return _Span(4, int(first_mapped), int(last_mapped))
    return _Span(begin.version, int(begin), int(end)) if begin.version == end.version else None


def _entry(span: _Span) -> str:
    kind = ipaddress.IPv4Address if span.version == 4 else ipaddress.IPv6Address
    first, last = kind(span.first), kind(span.last)
    return str(first) if first == last else f"{first}-{last}"


def _countries(named: list[str], groups: list[dict[str, Any]]) -> set[str]:
    """Return the countries that an offer or its targeting names, without those that no group lets in."""
    every = {*named, *(code for group in groups for code in _named(group))}
    return {code for code in every if any(_takes(group, code) for group in groups)}


def _named(group: dict[str, Any]) -> list[str]:
    allowed = list((group.get("country") or {}).get("allow") or ())
    if allowed:
        return allowed
    places = [(group.get(name) or {}).get("allow") or {} for name in ("region", "city")]
    return [code for held in (*places, group.get("isp") or {}) for code in held]


def _takes(group: dict[str, Any], code: str) -> bool:
    named = _named(group)
    return code not in ((group.get("country") or {}).get("deny") or ()) and (not named or code in named)


def _systems(restricted: list[dict[str, Any]], groups: list[dict[str, Any]]) -> set[str]:
    """Return the lower-case names of the systems that an offer takes; none = any."""
    own = {item["os"].casefold() for item in restricted}
    every = all(group.get("os") for group in groups)
    targeted = {item["name"].casefold() for group in groups for item in group["os"]} if every else set()
    return (own & targeted) or own or targeted


def _file(connection: sa.Connection, offer_id: int, kind: str, values: set[str]) -> None:
    connection.execute(sa.delete(_label).where(_label.c.offer_id == offer_id, _label.c.kind == kind))
    if values:
        rows = [{"kind": kind, "value": value, "offer_id": offer_id} for value in sorted(values)]
        connection.execute(sa.insert(_label), rows)


def _touch(connection: sa.Connection, offer_ids: list[int]) -> None:
    """Give the rules of the offers new versions, so that edges read them again."""
    if not offer_ids:
        return
    version = connection.execute(sa.select(_clock.c.version).where(_clock.c.id == 1)).scalar_one()
    keys = [str(number) for number in offer_ids]
    for start in range(0, len(keys), _CHUNK):
        chunk = keys[start : start + _CHUNK]
        connection.execute(sa.delete(_change).where(_change.c.kind == "offer", _change.c.key.in_(chunk)))
    rows = [{"kind": "offer", "key": key, "version": version + place} for place, key in enumerate(keys, start=1)]
    connection.execute(sa.insert(_change), rows)
    connection.execute(sa.update(_clock).where(_clock.c.id == 1).values(version=version + len(keys)))

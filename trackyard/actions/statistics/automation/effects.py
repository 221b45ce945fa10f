"""What firings of rules change, and how it is undone (docs/spec/automation.md#actions)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from trackyard.actions.offers.announcing import announce_changes, announce_connections
from trackyard.actions.statistics.automation.measuring import RuleCannotRun
from trackyard.domain.conversions.edits import ConversionEdit
from trackyard.domain.conversions.lists import ConversionFilter
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.offers.choices import OfferStatus
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.automation.rules import Rule, RuleAction, RuleFiring
from trackyard.domain.statistics.automation.windows import Window
from trackyard.domain.tracking.subs import SUBS
from trackyard.store.conversions import conversions, edits, lists
from trackyard.store.engine.database import Connection
from trackyard.store.offers import connections, offers, sub_blocks
from trackyard.store.offers.sub_blocks import SubBlock
from trackyard.store.tracking import rulesets

MOST_CONVERSIONS: Final = 5_000
"""Conversions that one window of a rule may change."""

_CHUNK: Final = 400

Changed = dict[str, Any]


def apply_effects(conn: Connection, rule: Rule, firing: RuleFiring, window: Window, now_ms: int) -> Changed:
    """Do what a rule does about a firing; return what changed, with what changed before.

    Raises RuleCannotRun for more conversions than a rule may change.
    """
    offer_id, affiliate_id = firing.offer_id or 0, firing.affiliate_id or 0
    if rule.action is RuleAction.BLOCK_SUB:
        block = SubBlock(firing.id, offer_id, affiliate_id, int(firing.sub_index), firing.sub_value)
        sub_blocks.add_block(conn, block)
        rulesets.touch(conn, "offer", offer_id)
        return {"blocked": True}
    if rule.action is RuleAction.DISCONNECT:
        return _disconnect(conn, offer_id, affiliate_id, now_ms)
    if rule.action is RuleAction.OFFER_STATUS:
        return _set_offer_status(conn, offer_id, rule.new_status, now_ms)
    if rule.action is RuleAction.CONVERSION_STATUS:
        return _change_conversions(conn, rule, firing, window, now_ms)
    return {}


def undo_effects(conn: Connection, firings: Sequence[RuleFiring], actor: str, now_ms: int) -> None:
    """Change back what firings changed, where it still is as they left it.

    actor: of changes of conversions.
    """
    unblocked = sub_blocks.remove_blocks(conn, [each.id for each in firings if "blocked" in each.changed])
    rulesets.touch_all(conn, "offer", unblocked)
    for firing in firings:
        if "connected" in firing.changed:
            _reconnect(conn, firing, now_ms)
        if "offer_status" in firing.changed:
            before, after = firing.changed["offer_status"]
            _set_offer_status(conn, firing.offer_id or 0, before, now_ms, only_from=after)
        if "conversions" in firing.changed:
            _restore_conversions(conn, firing.changed, actor, now_ms)


def _disconnect(conn: Connection, offer_id: int, affiliate_id: int, now_ms: int) -> Changed:
    before = connections.connection_states(conn, affiliate_id, [offer_id]).get(offer_id)
    is_used = before if before is not None else bool(connections.public_offers_among(conn, [offer_id]))
    if not is_used:
        return {}
    connections.disconnect(conn, affiliate_id, [offer_id], now_ms)
    rulesets.touch(conn, "connections", offer_id)
    announce_connections(conn, EventKind.OFFERS_DISCONNECTED, [affiliate_id], [offer_id], now_ms)
    return {"connected": True}


def _reconnect(conn: Connection, firing: RuleFiring, now_ms: int) -> None:
    offer_id, affiliate_id = firing.offer_id or 0, firing.affiliate_id or 0
    connections.connect(conn, affiliate_id, [offer_id], now_ms)
    rulesets.touch(conn, "connections", offer_id)
    announce_connections(conn, EventKind.OFFERS_CONNECTED, [affiliate_id], [offer_id], now_ms)


def _set_offer_status(conn: Connection, offer_id: int, status: str, now_ms: int, only_from: str = "") -> Changed:
    """Set the status of an offer. only_from: not when it has another one now."""
    offer = offers.find_offer(conn, Scope.everything(), offer_id, lock=True)
    if offer is None or offer.status == status or (only_from and offer.status != only_from):
        return {}
    offers.update_offers(conn, [offer_id], {"status": status, "updated_at": now_ms})
    rulesets.touch(conn, "offer", offer_id)
    announce_changes(conn, [(offer, replace(offer, status=OfferStatus(status)))], now_ms)
    return {"offer_status": [str(offer.status), status]}


def _change_conversions(conn: Connection, rule: Rule, firing: RuleFiring, window: Window, now_ms: int) -> Changed:
    """Queue a change of the conversions of a window that the rule has not changed before."""
    known: Mapping[str, Any] = firing.changed.get("conversions", {})
    selected, total = lists.list_conversions(
        conn, Scope.everything(), _selection(rule, firing, window), page=1, limit=MOST_CONVERSIONS
    )
    if total > MOST_CONVERSIONS:
        raise RuleCannotRun(
            f"{total} conversions of {firing.element_key} would change at once, more than {MOST_CONVERSIONS}: narrow "
            "the rule, or change them by hand."
        )
    comment = f"Rule: {rule.title}" if rule.new_status == Status.DECLINED else None
    unpaid = _unpaid_among(conn, rule.new_status, [each.id for each in selected if each.id not in known])
    changed = {each.id: [each.status, each.comment] for each in selected if each.id not in {*known, *unpaid}}
    _queue(conn, f"rule:{rule.id}", dict.fromkeys(changed, (rule.new_status, comment)), now_ms)
    return {"conversions": {**known, **changed}, "conversion_status": rule.new_status} if known or changed else {}


def _unpaid_among(conn: Connection, status: str, ids: Sequence[str]) -> set[str]:
    """Return the declined conversions that would count with 0, since no payment matched."""
    edit = ConversionEdit(conversion_id="", status=Status(status))
    unpaid: set[str] = set()
    for start in range(0, len(ids), _CHUNK):
        stored = conversions.find_by_id(conn, ids[start : start + _CHUNK])
        unpaid |= {each.id for each in stored.values() if edit.counts_with_zero(each)}
    return unpaid


def _selection(rule: Rule, firing: RuleFiring, window: Window) -> ConversionFilter:
    """Return the filter of a firing's conversions; for a rule with goals, conversions of the second goal."""
    element = firing.element
    subs = {**{name: () for name in element if name in SUBS}, **rule.sub_values}
    return ConversionFilter(
        since=window.since,
        until=window.until,
        statuses=frozenset(Status) - {Status(rule.new_status)},
        offers=_ids(element.get("offer"), rule.offers),
        affiliates=_ids(element.get("affiliate"), rule.affiliates),
        advertisers=_ids(element.get("advertiser"), rule.advertisers),
        countries=_ids(element.get("country"), rule.countries),
        goals=frozenset({rule.second_goal}) if rule.needs_goals else None,
        subs={int(name[3:]): _ids(element.get(name), values) or frozenset() for name, values in subs.items()},
    )


def _ids(named: Any, chosen: Sequence[Any]) -> frozenset[Any] | None:
    if named is not None:
        return frozenset({named})
    return frozenset(chosen) if chosen else None


def _restore_conversions(conn: Connection, changed: Changed, actor: str, now_ms: int) -> None:
    """Queue the former status of conversions that were not changed by others since."""
    former: Mapping[str, list[str]] = changed["conversions"]
    ids = sorted(former)
    for start in range(0, len(ids), _CHUNK):
        stored = conversions.find_by_id(conn, ids[start : start + _CHUNK])
        back = {
            found.id: (str(Status(former[found.id][0]).shown), former[found.id][1])
            for found in stored.values()
            if found.status in (changed["conversion_status"], former[found.id][0])
        }
        _queue(conn, actor, back, now_ms)


def _queue(conn: Connection, actor: str, statuses: Mapping[str, tuple[str, str | None]], now_ms: int) -> None:
    items = [
        msgspec.to_builtins(ConversionEdit(conversion_id=conversion_id, status=Status(status), comment=comment))
        for conversion_id, (status, comment) in statuses.items()
    ]
    edits.add_tasks(conn, "edit", actor, items, now_ms)

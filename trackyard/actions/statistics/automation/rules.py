"""Use cases of rules: add, edit, remove, list, undo (docs/spec/automation.md)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.automation.effects import undo_effects
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.base.ids import new_id
from trackyard.domain.people.callers import Access
from trackyard.domain.statistics.automation.logs import BlockEntry, ChangeFilter, FiringFilter, RuleChange
from trackyard.domain.statistics.automation.rules import Rule, RuleFiring, RuleKind, find_faults
from trackyard.domain.statistics.automation.windows import HOUR_MS
from trackyard.store.engine.database import Connection
from trackyard.store.offers import offers
from trackyard.store.people import advertisers, affiliates
from trackyard.store.statistics import automation, firings

MOST_RULES: Final = 200
"""Rules of each kind."""
_OF_EVERY_KIND: Final = frozenset({"title", "is_on", "notify_author", "notify_manager", "webhook"})
"""What may be changed of a rule of any kind."""


def list_rules(deps: Deps, kind: RuleKind | None, *, page: int, limit: int) -> tuple[list[Rule], int]:
    """Return a page of rules, the newest first, and the number of all. kind: None = of both."""
    with deps.database.read() as conn:
        return automation.list_rules(conn, kind, page=page, limit=limit)


def get_rule(deps: Deps, rule_id: str, kind: RuleKind | None = None) -> Rule:
    """Return a rule. Raises NotFound."""
    with deps.database.read() as conn:
        return required(automation.find_rule(conn, rule_id, kind))


_NAMED: Final[tuple[tuple[str, str, Callable[[Connection, Any], Mapping[Any, Any]]], ...]] = (
    ("offers", "An offer", offers.existing_titles),
    ("affiliates", "An affiliate", affiliates.names_of),
    ("advertisers", "An advertiser", advertisers.titles_of),
)
"""Objects that rules refer to: field, noun, and the function that finds the existing ones."""


def _check_rule(conn: Connection, rule: Rule, before: Rule | None = None) -> None:
    """Raise BadInput for a rule that cannot be judged, or that refers to something missing.

    before: the stored rule; its references may have been removed since.
    """
    faults = {**find_faults(rule)}
    for name, noun, find_known in _NAMED:
        named = set(getattr(rule, name)) - set(getattr(before, name, ()))
        missing = sorted(named - find_known(conn, named).keys()) if named else []
        if missing:
            faults[name] = [f"{noun} {each} does not exist." for each in missing]
    if faults:
        raise BadInput(faults)


def add_rule(deps: Deps, access: Access, given: Mapping[str, Any]) -> Rule:
    """Store a new rule, which runs after the next whole hour. Raises BadInput, and Conflict for too many."""
    now = deps.clock.now_ms()
    rule = Rule(
        id=new_id(now), created_by=access.caller.account.id, created_at=now, updated_at=now,
        judged_until=now - now % HOUR_MS, **given,
    )  # fmt: skip
    with deps.database.write() as conn:
        _check_rule(conn, rule)
        _, total = automation.list_rules(conn, rule.kind, page=1, limit=1)
        if total >= MOST_RULES:
            raise Conflict({"title": [f"At most {MOST_RULES} rules are kept: remove one first."]})
        automation.add_rule(conn, rule)
        _log(conn, access, rule, "add", now)
    return rule


def rule_to_try(deps: Deps, given: Mapping[str, Any]) -> Rule:
    """Return a rule that is not stored, for its look back. Raises BadInput."""
    rule = Rule(id="", **given)
    with deps.database.read() as conn:
        _check_rule(conn, rule)
    return rule


def edit_rule(deps: Deps, access: Access, rule_id: str, given: Mapping[str, Any], kind: RuleKind | None = None) -> Rule:
    """Change a rule. What it did stays done. Raises NotFound, BadInput."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        before = required(automation.find_rule(conn, rule_id, kind, lock=True))
        if before.kind is RuleKind.KPI and kind is None and not set(given) <= _OF_EVERY_KIND:
            raise BadInput({"id": ["The terms of a KPI rule are changed with POST /automation/kpi/{id}."]})
        rule = replace(before, **given, updated_at=max(now, before.updated_at + 1), failure="")
        _check_rule(conn, rule, before)
        if rule.is_on and not before.is_on:
            rule = replace(rule, judged_until=now - now % HOUR_MS)
        automation.edit_rule(conn, rule)
        _log(conn, access, rule, "update", now)
    return rule


def remove_rule(deps: Deps, access: Access, rule_id: str, kind: RuleKind | None = None) -> Rule:
    """Remove a rule and undo what it changed. Raises NotFound."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        rule = required(automation.find_rule(conn, rule_id, kind, lock=True))
        _undo(conn, access, firings.list_not_undone(conn, rule_id), now)
        automation.remove_rule(conn, rule_id, now)
        _log(conn, access, rule, "delete", now)
    return rule


def undo_firing(deps: Deps, access: Access, firing_id: str) -> RuleFiring:
    """Undo what a firing changed. Raises NotFound, and Conflict for one that was undone."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        firing = required(firings.find_firing(conn, firing_id, lock=True))
        if firing.undone_at is not None:
            raise Conflict({"id": ["This firing was undone already."]})
        _undo(conn, access, [firing], now)
        return required(firings.find_firing(conn, firing_id))


def get_firing(deps: Deps, firing_id: str) -> RuleFiring:
    """Return a firing. Raises NotFound."""
    with deps.database.read() as conn:
        return required(firings.find_firing(conn, firing_id))


def list_firings(
    deps: Deps, chosen: FiringFilter, *, page: int, limit: int
) -> tuple[list[RuleFiring], dict[str, Rule], int]:
    """Return a page of firings, the newest first, their rules by id, and the number of all."""
    with deps.database.read() as conn:
        found, total = firings.list_firings(conn, chosen, page=page, limit=limit)
        return found, automation.rules_by_id(conn, [each.rule_id for each in found]), total


def list_blocks(
    deps: Deps, chosen: FiringFilter, *, sub_index: str, sub_value: str, action: str, page: int, limit: int
) -> tuple[list[BlockEntry], int]:
    """Return a page of the log of blocked subs, the newest first, and the number of all. "" = any."""
    with deps.database.read() as conn:
        return firings.list_blocks(
            conn, chosen, sub_index=sub_index, sub_value=sub_value, action=action, page=page, limit=limit
        )


def list_changes(
    deps: Deps, kind: RuleKind, chosen: ChangeFilter, *, page: int, limit: int
) -> tuple[list[RuleChange], int]:
    """Return a page of the changes of rules, the newest first, and the number of all."""
    with deps.database.read() as conn:
        return automation.list_changes(conn, kind, chosen, page=page, limit=limit)


Titles = tuple[dict[int, str], dict[int, str], dict[str, str]]
"""Titles of offers, affiliates and advertisers, by id."""


def rule_of_change(change: RuleChange) -> Rule:
    """Return a rule as it was at a change."""
    return automation.rule_of_row(change.rule)


def titles_of(deps: Deps, found: Collection[RuleFiring]) -> Titles:
    """Return the titles of the offers, affiliates and advertisers of firings."""
    with deps.database.read() as conn:
        offer_names = offers.names_of(conn, {each.offer_id for each in found if each.offer_id is not None})
        people = affiliates.names_of(conn, {each.affiliate_id for each in found if each.affiliate_id is not None})
        owners = {each.advertiser_id for each in found if each.advertiser_id is not None}
        return (
            {number: each.title for number, each in offer_names.items()},
            {number: each.name or each.login for number, each in people.items()},
            advertisers.titles_of(conn, owners),
        )


def _undo(conn: Connection, access: Access, found: Sequence[RuleFiring], now_ms: int) -> None:
    undo_effects(conn, found, access.caller.name, now_ms)
    firings.mark_undone(conn, [each.id for each in found], access.caller.name, now_ms)


def _log(conn: Connection, access: Access, rule: Rule, kind: str, now_ms: int) -> None:
    """Store a change for the public API's log."""
    change = RuleChange(
        id=new_id(now_ms),
        rule_id=rule.id,
        kind=rule.kind,
        type=kind,
        by=access.caller.name,
        at=now_ms,
        offers=_marks(rule.offers),
        affiliates=_marks(rule.affiliates),
        rule=automation.row_of(rule),
    )
    automation.add_change(conn, change)


def _marks(ids: Sequence[int]) -> str:
    return f",{','.join(map(str, ids))}," if ids else ""

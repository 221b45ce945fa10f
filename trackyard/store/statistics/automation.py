"""Rules that watch the statistics, and their changes (docs/spec/automation.md)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Connection, insert, or_, select, update

from trackyard.domain.statistics.automation.logs import ChangeFilter, RuleChange
from trackyard.domain.statistics.automation.rules import Rule, RuleAction, RuleCondition, RuleKind
from trackyard.store.engine.dialect import read_page
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import automation_change, automation_rule

_LISTS: Final = ("each", "offers", "affiliates", "advertisers", "countries")
_ALIVE: Final = automation_rule.c.removed_at.is_(None)


def _rule(conditions: Sequence[Mapping[str, Any]], **values: Any) -> Rule:
    lists: dict[str, Any] = {name: tuple(values.pop(name)) for name in _LISTS}
    lists["subs"] = tuple((name, value) for name, value in values.pop("subs", ()))  # older changes have none
    return Rule(conditions=tuple(map(RuleCondition.of_document, conditions)), **lists, **values)


_ROWS: Final = Rows[Rule, str](automation_rule, _rule)


def rule_of_row(row: Mapping[str, Any]) -> Rule:
    """Return the rule of its columns."""
    return _rule(**{**row, "kind": RuleKind(row["kind"]), "action": RuleAction(row["action"])})


def row_of(rule: Rule) -> dict[str, Any]:
    """Return the columns of a rule."""
    lists = {name: list(getattr(rule, name)) for name in _LISTS}
    lists["subs"] = list(map(list, rule.subs))
    return asdict(rule) | lists | {"conditions": [each.document() for each in rule.conditions]}


def add_rule(conn: Connection, rule: Rule) -> None:
    """Store a new rule."""
    conn.execute(insert(automation_rule).values(**row_of(rule)))


def edit_rule(conn: Connection, rule: Rule) -> None:
    """Store a rule in place of the one with its id."""
    values = {name: value for name, value in row_of(rule).items() if name != "id"}
    conn.execute(update(automation_rule).where(automation_rule.c.id == rule.id).values(**values))


def remove_rule(conn: Connection, rule_id: str, now_ms: int) -> None:
    """Remove a rule. Its row stays for its firings."""
    _ROWS.edit(conn, rule_id, {"removed_at": now_ms, "is_on": False})


def set_judged(conn: Connection, rule_id: str, until: int, failure: str) -> None:
    """Set until when a rule has judged, and why it could not ("" = it could)."""
    _ROWS.edit(conn, rule_id, {"judged_until": until, "failure": failure})


def find_rule(conn: Connection, rule_id: str, kind: RuleKind | None = None, *, lock: bool = False) -> Rule | None:
    """Return a rule that was not removed, or None. kind: of any when None."""
    conditions = [automation_rule.c.id == rule_id, _ALIVE]
    if kind is not None:
        conditions.append(automation_rule.c.kind == kind)
    return _ROWS.find_where(conn, *conditions, lock=lock)


def list_rules(conn: Connection, kind: RuleKind | None, *, page: int, limit: int) -> tuple[list[Rule], int]:
    """Return a page of rules, the newest first, and the number of all. kind: None = of both."""
    query = select(automation_rule).where(_ALIVE)
    if kind is not None:
        query = query.where(automation_rule.c.kind == kind)
    return _ROWS.read_page(conn, query.order_by(automation_rule.c.id.desc()), page, limit)


def list_failing(conn: Connection, limit: int) -> list[Rule]:
    """Return the rules that are on and could not run."""
    failing = select(automation_rule).where(_ALIVE, automation_rule.c.is_on, automation_rule.c.failure != "")
    return _ROWS.read(conn, failing.order_by(automation_rule.c.id).limit(limit))


def find_due(conn: Connection, until: int, without: Collection[str] = ()) -> Rule | None:
    """Return a rule that has not judged until this time, the one that waits the longest; None without one.

    without: ids of rules that wait longer.
    """
    columns = automation_rule.c
    due = select(automation_rule).where(_ALIVE, columns.is_on, columns.judged_until < until)
    due = due.where(columns.id.not_in(without)) if without else due
    found = _ROWS.read(conn, due.order_by(columns.judged_until, columns.id).limit(1))
    return found[0] if found else None


def rules_by_id(conn: Connection, ids: Sequence[str]) -> dict[str, Rule]:
    """Return rules by id, removed ones too."""
    return _ROWS.by_id(conn, ids)


def add_change(conn: Connection, change: RuleChange) -> None:
    """Record a change of a rule."""
    conn.execute(insert(automation_change).values(**asdict(change)))


def list_changes(
    conn: Connection, kind: RuleKind, chosen: ChangeFilter, *, page: int, limit: int
) -> tuple[list[RuleChange], int]:
    """Return a page of changes, the newest first, and the number of all."""
    columns = automation_change.c
    conditions = [columns.kind == kind, columns.at >= chosen.since, columns.at < chosen.until]
    if chosen.types:
        conditions.append(columns.type.in_(chosen.types))
    for column, wanted in ((columns.offers, chosen.offers), (columns.affiliates, chosen.affiliates)):
        if wanted:
            conditions.append(or_(*(column.contains(f",{each},") for each in wanted)))
    query = select(automation_change).where(*conditions).order_by(columns.at.desc(), columns.id.desc())
    rows, total = read_page(conn, query, page, limit)
    return [RuleChange(*row) for row in rows], total

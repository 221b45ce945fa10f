"""Run a rule on a window: judge, act, and note what was done (docs/spec/automation.md#firings)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.statistics.automation.effects import apply_effects
from trackyard.actions.statistics.automation.mails import send_firing
from trackyard.actions.statistics.automation.measuring import RuleCannotRun, measure
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.errors import ReportsBusy, ReportTooHeavy
from trackyard.base.ids import new_id
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.automation.judging import Verdict, is_new_cause, judge
from trackyard.domain.statistics.automation.rules import Rule, RuleAction, RuleFiring
from trackyard.domain.statistics.automation.windows import Window, same_hours_before
from trackyard.domain.tracking.subs import SUBS
from trackyard.store.engine.audit_actor import act_as_system
from trackyard.store.engine.database import Connection, Database
from trackyard.store.offers import offers
from trackyard.store.statistics import automation, firings

MOST_FIRINGS: Final = 200
"""New firings of one window. More mean that the rule says something else than its author thought."""

_JOB: Final = "rules"


@dataclass(frozen=True, slots=True)
class RuleRun:
    """What a run did. fired: new firings. failure: why the rule could not run, "" = it could."""

    fired: int
    failure: str = ""


def find_verdicts(analytics: Analytics, rule: Rule, window: Window, zone: ZoneInfo) -> list[Verdict]:
    """Return the elements that meet a rule's conditions in a window. Raises RuleCannotRun, ReportTooHeavy."""
    before = same_hours_before(window, zone) if rule.needs_usual else ()
    found = [measure(analytics, rule, each, window, before) for each in (window, *before)]
    return judge(rule, found[0], found[1:])


def run_rule(
    database: Database, analytics: Analytics, rule: Rule, window: Window, zone: ZoneInfo, now_ms: int
) -> RuleRun:
    """Judge a window and act, once: a repeat changes nothing. What prevents it is stored with the rule."""
    try:
        verdicts = find_verdicts(analytics, rule, window, zone)
        with act_as_system(_JOB, now_ms), database.write() as conn:
            fired = _act(conn, rule, window, verdicts, now_ms)
        return RuleRun(fired)
    except RuleCannotRun as error:
        failure = str(error)
    except ReportsBusy:  # for a moment
        raise
    except ReportTooHeavy as error:
        failure = f"Its report is too heavy: {error}. Judge fewer offers or affiliates, or a shorter window."
    with act_as_system(_JOB, now_ms), database.write() as conn:
        automation.set_judged(conn, rule.id, window.until, failure)
    return RuleRun(0, failure)


def _act(conn: Connection, seen: Rule, window: Window, verdicts: Sequence[Verdict], now_ms: int) -> int:
    """Store and do what verdicts ask for; return the number of new firings. Raises RuleCannotRun."""
    rule = automation.find_rule(conn, seen.id, lock=True)
    if rule is None or not rule.is_on or rule.updated_at != seen.updated_at or rule.judged_until >= window.until:
        return 0  # it was changed, or another machine was faster
    by_key = {_element_key(rule, verdict): verdict for verdict in verdicts}
    last = firings.last_firings(conn, rule.id, list(by_key))
    new = [key for key in by_key if key not in last or is_new_cause(last[key].met_until, window)]
    if len(new) > MOST_FIRINGS:
        raise RuleCannotRun(
            f"It would fire for {len(new)} things at once, more than {MOST_FIRINGS}: narrow it, or set other bounds."
        )
    fresh = set(new)
    for key, verdict in by_key.items():
        if key in fresh:
            _fire(conn, rule, window, verdict, now_ms)
        else:
            _continue(conn, rule, last[key], window, now_ms)
    automation.set_judged(conn, rule.id, window.until, "")
    return len(new)


def _fire(conn: Connection, rule: Rule, window: Window, verdict: Verdict, now_ms: int) -> None:
    firing = new_firing(rule, window, verdict, now_ms)
    if firing.offer_id is not None and firing.advertiser_id is None:
        offer = offers.find_offer(conn, Scope.everything(), firing.offer_id)
        firing = replace(firing, advertiser_id=None if offer is None else offer.advertiser_id)
    firing = replace(firing, changed=apply_effects(conn, rule, firing, window, now_ms))
    firings.add_firing(conn, firing)
    send_firing(conn, rule, firing, now_ms)


def _continue(conn: Connection, rule: Rule, firing: RuleFiring, window: Window, now_ms: int) -> None:
    """Note that a cause continues. Conversions that came since are changed, too, unless it was undone."""
    values: dict[str, object] = {"met_until": max(firing.met_until, window.until)}
    goes_on = rule.action is RuleAction.CONVERSION_STATUS and firing.action is rule.action and firing.undone_at is None
    if goes_on and firing.changed.get("conversion_status", rule.new_status) == rule.new_status:
        values["changed"] = apply_effects(conn, rule, firing, window, now_ms)
    firings.edit_firing(conn, firing.id, values)


def new_firing(rule: Rule, window: Window, verdict: Verdict, now_ms: int) -> RuleFiring:
    """Return the firing of a verdict, before it changed anything."""
    element = rule.element(verdict.key)
    sub = rule.sub
    offer, affiliate, advertiser = (element.get(name) for name in ("offer", "affiliate", "advertiser"))
    return RuleFiring(
        id=new_id(now_ms),
        rule_id=rule.id,
        fired_at=now_ms,
        element=dict(element),
        element_key=_element_key(rule, verdict),
        offer_id=None if offer is None else int(offer),
        affiliate_id=None if affiliate is None else int(affiliate),
        advertiser_id=None if advertiser is None else str(advertiser),
        sub_index=str(SUBS.index(sub) + 1) if sub else "",
        sub_value=str(element[sub]) if sub else "",
        since=window.since,
        until=window.until,
        met_until=window.until,
        readings=[each.document() for each in verdict.readings],
        action=rule.action,
        webhook_due=now_ms if rule.webhook else None,
    )


def _element_key(rule: Rule, verdict: Verdict) -> str:
    return json.dumps(rule.element(verdict.key), ensure_ascii=False)

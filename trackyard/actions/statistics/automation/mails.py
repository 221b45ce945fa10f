"""The mails of rules (docs/spec/automation.md#notices)."""

from collections.abc import Iterator
from functools import partial

from trackyard.actions.platform.notices import FIRED, Recipient, send_notice
from trackyard.actions.statistics.automation.words import ACTION_NAMES, element_words, reading_words
from trackyard.base.texts.marks import gettext
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.staff import Staff
from trackyard.domain.statistics.automation.rules import Rule, RuleAction, RuleFiring
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers, affiliates, staff


def send_firing(conn: Connection, rule: Rule, firing: RuleFiring, now_ms: int) -> None:
    """Mail a firing to the recipients of its rule."""
    found = {person.id: person for person in _people(conn, rule, firing) if person.status.rule.is_at_work}
    recipients = [
        Recipient(each.email, f"{each.first_name} {each.last_name}".strip(), Account(AccountKind.STAFF, each.id))
        for each in found.values()
    ]
    send_notice(
        conn,
        FIRED,
        recipients,
        now_ms,
        rule=rule.title,
        firing=firing.id,
        what=partial(element_words, firing.element),
        readings=partial(reading_words, firing.readings),
        done=partial(_done_words, firing),
    )


def _people(conn: Connection, rule: Rule, firing: RuleFiring) -> Iterator[Staff]:
    """Yield the author and the manager, where the rule notifies them.

    Without a manager the first administrator takes its place.
    """
    wanted: list[str | None] = [rule.created_by] if rule.notify_author else []
    if rule.notify_manager:
        manager = _manager_of(conn, firing)
        first = None if manager is not None else staff.find_first_administrator(conn)
        wanted.append(manager if first is None else first.id)
    for staff_id in wanted:
        person = None if not staff_id else staff.find_staff(conn, staff_id)
        if person is not None:
            yield person


def _manager_of(conn: Connection, firing: RuleFiring) -> str | None:
    """Return the manager of the affiliate, else of the advertiser."""
    if firing.affiliate_id is not None:
        return affiliates.managers_of(conn, [firing.affiliate_id]).get(firing.affiliate_id)
    if firing.advertiser_id is None:
        return None
    owner = advertisers.find_advertiser(conn, Scope.everything(), firing.advertiser_id)
    return None if owner is None else owner.manager_id


def _done_words(firing: RuleFiring) -> str:
    if firing.action is RuleAction.NOTIFY or not firing.changed:
        return gettext("nothing was changed")
    return str(ACTION_NAMES[firing.action])

"""Use cases of the platform's settings and the audit log.

See docs/spec/platform.md#settings and docs/spec/platform.md#audit-log.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from trackyard.actions.deps import Deps
from trackyard.actions.money.held_changes import email_of, recipients
from trackyard.actions.people.security_log import authors_of
from trackyard.actions.platform.mails.at_once import MailTest, send_at_once
from trackyard.actions.platform.notices import MAIL_SERVER_CHANGED, TEST_MAIL, Recipient, send_notice
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import gettext
from trackyard.domain.conversions.codes import MIN_CODE_LENGTH, CodeMode, is_strong_code
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.callers import Account
from trackyard.domain.platform.audit import AuditFilter, AuditRecord, Authors
from trackyard.domain.statistics.switches import Switches
from trackyard.store.engine import encrypted
from trackyard.store.engine.database import Connection
from trackyard.store.people import staff
from trackyard.store.platform import audit_log, settings
from trackyard.store.tracking import rulesets


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The platform's settings; "" = not set.

    trafficback_url: the target of rejected clicks, unless their offer has one.
    hash_password: the code of inbound postbacks where neither offer nor advertiser has one.
    mail_from, smtp_url: the sender and the server of mail, its password included; "" = the settings at the start.
    refuse_bots: whether clicks of bots and prefetches are rejected.
    affiliate_imports: the highest status of conversions that affiliates import.
    show_decline_reasons: whether affiliates see why their conversions were declined.
    statistics_revenue, statistics_rows: switches of domain/statistics/switches.py.
    """

    trafficback_url: str
    hash_password: str
    mail_from: str
    smtp_url: str
    refuse_bots: bool
    affiliate_imports: str
    show_decline_reasons: bool
    statistics_revenue: str
    statistics_rows: str


_NAMES = {
    "trafficback_url": settings.TRAFFICBACK_URL,
    "hash_password": settings.HASH_PASSWORD,
    "mail_from": settings.MAIL_FROM,
    "smtp_url": settings.SMTP_URL,
    "refuse_bots": settings.REFUSE_BOTS,
    "affiliate_imports": settings.AFFILIATE_IMPORTS,
    "show_decline_reasons": settings.SHOW_DECLINE_REASONS,
    **{name: name for name in settings.STATISTICS_SWITCHES},
}
_DEFAULTS: Mapping[str, str | bool] = {
    "refuse_bots": True,
    "affiliate_imports": Status.PENDING,
    "show_decline_reasons": True,
    "statistics_revenue": Switches().statistics_revenue,
    "statistics_rows": Switches().statistics_rows,
}
"""The defaults of settings other than ""."""
_IN_RULESET = frozenset({"trafficback_url", "refuse_bots"})
"""The settings that edges need."""
_ENCRYPTED = frozenset(name for name, stored in _NAMES.items() if stored in encrypted.ENCRYPTED_SETTINGS)


def get_settings(deps: Deps) -> Settings:
    """Return the settings. Raises DecryptionFailed."""
    with deps.database.read() as conn:
        return _settings(deps, conn)


def edit_settings(
    deps: Deps, given: Mapping[str, str | bool], author: Account, confirm: Callable[[], None]
) -> Settings:
    """Change the given settings, by field of Settings; return all.

    confirm: is called before another mail server or sender is stored. The other administrators then get a mail about
    it through the previous server.
    Raises BadInput, DecryptionFailed, and what `confirm` raises.
    """
    if _of_mail(given, asdict(get_settings(deps))):
        confirm()
    with deps.database.write() as conn:
        before = asdict(_settings(deps, conn))
        changed = {name: value for name, value in given.items() if before[name] != value}
        if "hash_password" in changed:
            _check_code(conn, str(changed["hash_password"]))
        for name, value in changed.items():
            stored = deps.cipher.encrypt(str(value)) if value and name in _ENCRYPTED else value
            settings.edit_setting(conn, _NAMES[name], stored)
        if _IN_RULESET & changed.keys():
            rulesets.touch(conn, "platform", rulesets.PLATFORM_KEY)
        after = _settings(deps, conn)
        if _of_mail(given, before):
            _mail_administrators(deps, conn, author, before, asdict(after))
        return after


def _of_mail(given: Mapping[str, str | bool], before: Mapping[str, Any]) -> bool:
    """Return whether settings of mail change."""
    return any(name in given and given[name] != before[name] for name in ("smtp_url", "mail_from"))


def _mail_administrators(
    deps: Deps, conn: Connection, author: Account, before: Mapping[str, Any], after: Mapping[str, Any]
) -> None:
    """Mail the other administrators, by the server and the sender that were in force."""
    others = [each for each in staff.active_administrators(conn) if each.id != author.id]
    through = deps.cipher.encrypt(json.dumps([before["smtp_url"], before["mail_from"]]))
    named = {"before": partial(_mail_line, before), "after": partial(_mail_line, after)}
    by = email_of(conn, author.id)
    told = [replace(each, server=through) for each in recipients(others)]
    send_notice(conn, MAIL_SERVER_CHANGED, told, deps.clock.now_ms(), author=by, **named)


def _mail_line(values: Mapping[str, Any]) -> str:
    """Return the server, without login and password, and the sender."""
    server = urlsplit(values["smtp_url"]).netloc.rpartition("@")[2] or gettext("as the settings of the server say")
    return f"{server} ({values['mail_from']})" if values["mail_from"] else server


def send_test_mail(deps: Deps, staff_id: str) -> MailTest:
    """Send a mail to a staff user by the settings in force, now. Raises NotFound, DecryptionFailed.

    Without a mail server it is queued, and the worker writes it to a file.
    """

    def queue(conn: Connection, recipient: Recipient) -> str:
        [mail_id] = send_notice(conn, TEST_MAIL, [recipient], deps.clock.now_ms())
        return mail_id

    return send_at_once(deps, staff_id, queue)


def list_audit(deps: Deps, chosen: AuditFilter, *, page: int, limit: int) -> tuple[list[AuditRecord], int, Authors]:
    """Return a page of the audit log, the newest first, the total, and the accounts named."""
    with deps.database.read() as conn:
        found, total = audit_log.list_records(conn, chosen, page=page, limit=limit)
        return found, total, authors_of(conn, [record.actor for record in found])


def _check_code(conn: Connection, code: str) -> None:
    """Raise BadInput for a code of the platform that its CodeMode does not take."""
    match settings.find_code_mode(conn):
        case CodeMode.TEXT:
            raise BadInput({"hash_password": ["TRACKYARD_POSTBACK_CODE has this value: change it there."]})
        case CodeMode.GENERATE if not is_strong_code(code):
            raise BadInput(
                {
                    "hash_password": [
                        f"This value must have at least {MIN_CODE_LENGTH} random characters; "
                        "TRACKYARD_POSTBACK_CODE=none lets postbacks without a code count."
                    ]
                }
            )


def _settings(deps: Deps, conn: Connection) -> Settings:
    values: dict[str, Any] = {}
    for name, stored in _NAMES.items():
        value = settings.find_setting(conn, stored)
        if value is None or value == "":
            value = _DEFAULTS.get(name, "")
        values[name] = deps.cipher.decrypt(value) if value and name in _ENCRYPTED else value
    return Settings(**values)

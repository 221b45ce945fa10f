"""Settings that the platform edits at run time (docs/spec/platform.md#settings)."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select

from trackyard.domain.conversions.codes import CodeMode
from trackyard.domain.money.billing import Billing
from trackyard.domain.platform.network import Network, SignUpState
from trackyard.store.engine.database import Database
from trackyard.store.engine.dialect import AdvisoryLock, lock, upsert
from trackyard.store.tables import setting

TRAFFICBACK_URL: Final = "trafficback_url"
CURRENCY: Final = "currency"
"""The platform's currency, as it was at the last start."""
TIMEZONE: Final = "timezone"
"""The platform's time zone (IANA), as it was at the last start."""
API_URL: Final = "api_url"
"""The beginning of links in mails, as it was at the last start."""
REFUSE_BOTS: Final = "refuse_bots"
"""Whether clicks of bots and prefetches are rejected; recorded with their reason, not counted; true when not set."""
HASH_PASSWORD: Final = "hash_password"  # noqa: S105 (the name of a setting)
"""The platform's secure code of inbound postbacks, for offers and advertisers without their own."""
POSTBACK_CODE: Final = "postback_code"
"""The CodeMode of the last start."""
SHARED_CLICK_STATE: Final = "shared_click_state"
"""Whether the edges of all machines share their click state, as it was at the last start."""
AFFILIATE_PERMISSIONS: Final = "affiliate_permissions"
"""Levels of affiliates' permissions ("area.feature" → level) that differ from the defaults."""
AFFILIATE_IMPORTS: Final = "affiliate_imports"
"""The highest status of conversions that affiliates import: pending, also when it was never set, or confirmed."""
SHOW_DECLINE_REASONS: Final = "show_decline_reasons"
"""Whether affiliates see why their conversions were declined; true when not set."""
MAIL_FROM: Final = "mail_from"
"""The sender of mail; "" = TRACKYARD_MAIL_FROM."""
SMTP_URL: Final = "smtp_url"
"""The mail server's address with its password, encrypted; "" = TRACKYARD_SMTP_URL."""
BILLING: Final = "billing"
"""Who issues documents: fields of domain/money/billing.py that are set."""
NETWORK: Final = "network"
"""The face of the network: fields of domain/platform/network.py that are set."""
STATISTICS_SWITCHES: Final = ("statistics_revenue", "statistics_rows")
"""The compatibility switches of statistics (domain/statistics/switches.py)."""


_VALUE: Final = select(setting.c.value).where(setting.c.name == bindparam("wanted"))
"""Made once, because most requests read a setting."""


@contextmanager
def write_start(database: Database) -> Iterator[Connection]:
    """Yield a transaction of a start. Machines that start at once get theirs one after the other."""
    with database.write() as conn:
        lock(conn, AdvisoryLock.START)
        yield conn


def find_setting(conn: Connection, name: str) -> Any:
    """Return the JSON value of a setting; None when it was never set."""
    return conn.execute(_VALUE, {"wanted": name}).scalar_one_or_none()


def find_network(conn: Connection) -> Network:
    """Return the face of the network; the defaults of what was never set."""
    stored = dict(find_setting(conn, NETWORK) or {})
    states = {name: SignUpState(stored[name]) for name in ("sign_up", "advertiser_sign_up") if stored.get(name)}
    return Network(**stored | states)


def find_billing(conn: Connection) -> Billing:
    """Return who issues documents; the defaults of what was never set."""
    stored = dict(find_setting(conn, BILLING) or {})
    return Billing(**stored | {"tax_percent": Decimal(stored.get("tax_percent", "0"))})


def find_api_url(conn: Connection) -> str:
    """Return the beginning of links in mails, without a slash at the end; "" before the first start."""
    return str(find_setting(conn, API_URL) or "")


def hides_decline_reasons(conn: Connection) -> bool:
    """Return whether affiliates do not see why their conversions were declined."""
    return find_setting(conn, SHOW_DECLINE_REASONS) is False


def find_code_mode(conn: Connection) -> CodeMode | None:
    """Return how inbound postbacks get their codes; None before the first start."""
    mode = find_setting(conn, POSTBACK_CODE)
    return None if mode is None else CodeMode(mode)


def edit_setting(conn: Connection, name: str, value: Any) -> None:
    """Set a setting to a JSON value.

    A setting that edges use needs `rulesets.touch` in the same transaction.
    """
    statement = upsert(conn, setting).values(name=name, value=value)
    conn.execute(statement.on_conflict_do_update(index_elements=["name"], set_={"value": statement.excluded.value}))


def add_default(conn: Connection, name: str, value: Any) -> None:
    """Set a setting that was never set (the first start)."""
    conn.execute(upsert(conn, setting).values(name=name, value=value).on_conflict_do_nothing(index_elements=["name"]))

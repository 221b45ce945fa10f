"""Settings that the platform edits at run time (docs/spec/platform.md#settings)."""

from typing import Any, Final

from sqlalchemy import Connection, delete, insert, select

from trackyard.store.tables import setting

TRAFFICBACK_URL: Final = "trafficback_url"
CURRENCY: Final = "currency"
"""The platform's currency, as it was at the last start."""
TIMEZONE: Final = "timezone"
"""The platform's time zone (IANA), as it was at the last start."""
REFUSE_BOTS: Final = "refuse_bots"
"""Whether clicks of bots and prefetches are refused (recorded with their reason, no raw click); true when not set."""
HASH_PASSWORD: Final = "hash_password"
"""The platform's secure code for inbound calls, used where neither offer nor advertiser has one."""

AFFILIATE_PERMISSIONS: Final = "affiliate_permissions"
"""Levels of affiliates' permissions ("area.feature" → level), where they are not the program's own."""
MAIL_FROM: Final = "mail_from"
"""The sender of mail; "" = as TRACKYARD_MAIL_FROM says."""
SMTP_URL: Final = "smtp_url"
"""The mail server's address with its password, sealed; "" = as TRACKYARD_SMTP_URL says."""
STATISTICS_SWITCHES: Final = ("statistics_revenue", "statistics_rows")
"""The compatibility switches of statistics (domain/statistics/switches.py)."""


def find_setting(conn: Connection, name: str) -> Any:
    """The JSON value of a setting; None when it was never set."""
    return conn.execute(select(setting.c.value).where(setting.c.name == name)).scalar_one_or_none()


def edit_setting(conn: Connection, name: str, value: Any) -> None:
    """Sets a setting to a JSON value. One that the edges know needs `rules.touch` in the same transaction."""
    conn.execute(delete(setting).where(setting.c.name == name))
    conn.execute(insert(setting).values(name=name, value=value))


def add_default(conn: Connection, name: str, value: Any) -> None:
    """Sets a setting that was never set (the first start)."""
    if conn.execute(select(setting.c.name).where(setting.c.name == name)).one_or_none() is None:
        conn.execute(insert(setting).values(name=name, value=value))

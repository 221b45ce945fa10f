"""The first start: an administrator with a key, and the settings that exist from then on
(docs/spec/platform.md#settings)."""

from trackyard.base.clock import Clock
from trackyard.base.ids import new_api_key, new_id
from trackyard.base.secrets import Seal
from trackyard.domain.people.roles import Role
from trackyard.store.conversions import conversions
from trackyard.store.engine import encrypted
from trackyard.store.engine.database import Database
from trackyard.store.offers import counters
from trackyard.store.people import keys, staff
from trackyard.store.platform import settings
from trackyard.store.tracking import rulesets

ADMINISTRATOR_EMAIL = "admin@localhost"


class NoAdministrator(Exception):
    """The installation has no administrator with a key."""


class CurrencyFixed(Exception):
    """The platform has another currency, in which there are conversions."""


def first_start(database: Database, seal: Seal, clock: Clock, admin_key: str | None) -> str | None:
    """Makes what an installation needs, once; every start may call it. The administrator's key when it is new.

    `admin_key` fixes the first administrator's key: another one than it has replaces its keys.
    """
    now = clock.now_ms()
    with database.write() as conn:
        settings.add_default(conn, settings.TRAFFICBACK_URL, "")
        settings.add_default(conn, settings.HASH_PASSWORD, "")
        user = staff.find_first_administrator(conn)
        if user is None:
            user = _administrator(now)
            staff.add_staff(conn, user)
            rulesets.touch(conn, "platform", rulesets.PLATFORM_KEY)
        present = keys.key_of(conn, "staff", user.id, seal)
        if present is not None and admin_key in (None, present):
            return None
        key = admin_key or new_api_key()
        keys.remove_keys(conn, "staff", user.id)
        keys.add_key(conn, "staff", user.id, key, seal, now)
        return key


def fix_currency(database: Database, currency: str) -> None:
    """Remembers the platform's currency (ISO code), which is fixed once a conversion exists
    (docs/spec/statistics.md#amounts).

    Every start calls it. Raises CurrencyFixed.
    """
    with database.write() as conn:
        kept = settings.find_setting(conn, settings.CURRENCY)
        if kept == currency:
            return
        if kept is not None and conversions.has_any(conn):
            raise CurrencyFixed(f"there are conversions in {kept}, the currency of this platform since")
        settings.edit_setting(conn, settings.CURRENCY, currency)


def tell_timezone(database: Database, timezone: str) -> None:
    """Remembers the platform's zone (IANA name), which the edges learn from the rules. Every start calls it."""
    with database.write() as conn:
        if settings.find_setting(conn, settings.TIMEZONE) != timezone:
            counters.forget_all(conn)  # its days are others now
            settings.edit_setting(conn, settings.TIMEZONE, timezone)
            rulesets.touch(conn, "platform", rulesets.PLATFORM_KEY)


def administrator_key(database: Database, seal: Seal) -> str:
    """The first administrator's key. Raises NoAdministrator, SealBroken."""
    with database.read() as conn:
        user = staff.find_first_administrator(conn)
        key = None if user is None else keys.key_of(conn, "staff", user.id, seal)
    if key is None:
        raise NoAdministrator
    return key


def renew_sealed(database: Database, seal: Seal) -> int:
    """Seals every stored value with the key that seals now, all of them or none; how many they were. Raises
    SealBroken."""
    with database.write() as conn:
        return encrypted.renew_all(conn, seal.renewed)


def _administrator(now: int) -> staff.Staff:
    return staff.Staff(
        id=new_id(now),
        email=ADMINISTRATOR_EMAIL,
        password_hash=None,
        first_name="First",
        last_name="Administrator",
        skype="",
        work_hours="",
        roles=[Role.ADMIN.value],
        created_at=now,
        updated_at=now,
    )

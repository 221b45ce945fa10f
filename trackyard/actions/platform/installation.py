"""The first start: an administrator with a key, and settings (docs/spec/platform.md#settings)."""

from trackyard.base.clock import Clock
from trackyard.base.ids import new_api_key, new_id
from trackyard.base.secrets import SecretCipher
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.roles import Role
from trackyard.domain.people.staff import FIRST_ADMINISTRATOR, Staff
from trackyard.store.conversions import conversions
from trackyard.store.engine import encrypted
from trackyard.store.engine.database import Connection, Database
from trackyard.store.offers import counters
from trackyard.store.people import keys, sessions, staff
from trackyard.store.platform import settings
from trackyard.store.tracking import rulesets


class NoAdministrator(Exception):
    """The installation has no administrator with a key."""


class CurrencyFixed(Exception):
    """There are conversions in another platform currency."""


class NoKey(Exception):
    """The database has encrypted values, but the key is missing."""


def first_start(database: Database, cipher: SecretCipher, clock: Clock, admin_key: str | None) -> str | None:
    """Create the records of a new installation, once; return the administrator's key when it is new.

    admin_key: fixes the first administrator's key; a different one replaces its first key.
    """
    now = clock.now_ms()
    with settings.write_start(database) as conn:
        settings.add_default(conn, settings.TRAFFICBACK_URL, "")
        settings.add_default(conn, settings.HASH_PASSWORD, "")
        user = staff.find_first_administrator(conn)
        if user is None:
            user = _administrator(now)
            staff.add_staff(conn, user)
            rulesets.touch(conn, "platform", rulesets.PLATFORM_KEY)
        present = keys.find_key(conn, AccountKind.STAFF, user.id, cipher)
        if present is not None and admin_key in (None, present):
            return None
        key = admin_key or new_api_key()
        keys.remove_first_keys(conn, AccountKind.STAFF, user.id)
        sessions.remove_sessions(conn, Account(AccountKind.STAFF, user.id))
        keys.add_key(conn, AccountKind.STAFF, user.id, key, cipher, now)
        return key


def store_currency(database: Database, currency: str) -> None:
    """Store the platform's currency (ISO code) at every start.

    It is fixed once a conversion exists (docs/spec/statistics.md#amounts). Raises CurrencyFixed.
    """
    with settings.write_start(database) as conn:
        check_currency(conn, currency)
        if settings.find_setting(conn, settings.CURRENCY) != currency:
            settings.edit_setting(conn, settings.CURRENCY, currency)


def check_currency(conn: Connection, currency: str) -> None:
    """Raise CurrencyFixed when there are conversions in another currency (ISO code) of the platform."""
    stored_currency = settings.find_setting(conn, settings.CURRENCY)
    if stored_currency not in (None, currency) and conversions.has_any(conn):
        raise CurrencyFixed(f"there are conversions in {stored_currency}, the currency of this platform since")


def check_secrets(conn: Connection, keys_there: tuple[str, ...]) -> None:
    """Raise DecryptionFailed when the keys do not decrypt what a database of any schema has.

    Raises NoKey without a key.
    """
    sealed = encrypted.find_encrypted(conn)
    if sealed is None:
        return
    if not keys_there:
        raise NoKey
    SecretCipher(*keys_there).decrypt(sealed)


def store_timezone(database: Database, timezone: str) -> None:
    """Store the platform's zone (IANA name), which edges learn from the ruleset; at every start."""
    with settings.write_start(database) as conn:
        if settings.find_setting(conn, settings.TIMEZONE) != timezone:
            counters.remove_all_counters(conn)  # the days of the zone differ
            settings.edit_setting(conn, settings.TIMEZONE, timezone)
            rulesets.touch(conn, "platform", rulesets.PLATFORM_KEY)


def store_api_url(database: Database, api_url: str) -> None:
    """Store the beginning of links in mails, which every process writes; at every start of an API."""
    with settings.write_start(database) as conn:
        if settings.find_setting(conn, settings.API_URL) != api_url:
            settings.edit_setting(conn, settings.API_URL, api_url)


def store_shared_click_state(database: Database, *, shared: bool) -> None:
    """Store at every start whether edges share click caps and unique visitors through Redis."""
    with settings.write_start(database) as conn:
        if bool(settings.find_setting(conn, settings.SHARED_CLICK_STATE)) != shared:
            settings.edit_setting(conn, settings.SHARED_CLICK_STATE, shared)


def administrator_key(database: Database, cipher: SecretCipher) -> str:
    """Return the first administrator's key. Raises NoAdministrator, DecryptionFailed."""
    with database.read() as conn:
        user = staff.find_first_administrator(conn)
        key = None if user is None else keys.find_key(conn, AccountKind.STAFF, user.id, cipher)
    if key is None:
        raise NoAdministrator
    return key


def reencrypt_secrets(database: Database, cipher: SecretCipher) -> int:
    """Encrypt every stored value with the current key, all or none; return their number.

    Raises DecryptionFailed.
    """
    with database.write() as conn:
        return encrypted.reencrypt_all(conn, cipher.reencrypt)


def _administrator(now: int) -> Staff:
    return Staff(
        id=new_id(now),
        email=FIRST_ADMINISTRATOR,
        first_name="First",
        last_name="Administrator",
        roles=[Role.ADMIN],
        created_at=now,
        updated_at=now,
    )

"""An affiliate's own account: reading it, a new key, signing up.

See docs/spec/callers.md#sign-in and docs/api/own-account.md.
"""

from dataclasses import dataclass, replace
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.affiliates import (
    EMAIL_TAKEN,
    balances_of,
    check_referrer,
    store_affiliate,
)
from trackyard.actions.people.credentials import WINDOW_MS, check_chosen_password
from trackyard.actions.platform.custom_fields import checked_answers
from trackyard.actions.platform.notices import NAME_TAKEN, SIGN_UP_AGAIN, Notice, Recipient, send_notice
from trackyard.base.errors import Conflict, TooManyRequests, required
from trackyard.base.ids import new_api_key
from trackyard.base.secrets import digest, hash_password
from trackyard.domain.money.ledger import Balance
from trackyard.domain.people.affiliates import Affiliate
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.permissions import EffectiveLevel, permission_tree
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.staff import Staff
from trackyard.domain.tracking.ip_lists import network_of
from trackyard.store.engine.database import Connection
from trackyard.store.people import affiliates, keys, sessions, sign_ins, staff
from trackyard.store.platform import settings

SIGN_UPS_PER_ADDRESS: Final = 10
"""Sign-ups of an address within WINDOW_MS; the next is rejected until the window ends."""


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """An affiliate's view of itself.

    balance: one item a currency.
    permissions: area to feature to level.
    """

    affiliate: Affiliate
    manager: Staff | None
    api_key: str | None
    balance: list[Balance]
    permissions: dict[str, dict[str, EffectiveLevel]]


def get_account(deps: Deps, affiliate_id: int) -> OwnAccount:
    """Return an affiliate's own account. Raises NotFound."""
    with deps.database.read() as conn:
        found = required(affiliates.find_affiliate(conn, Scope.of_affiliate(affiliate_id), affiliate_id))
        installation = settings.find_setting(conn, settings.AFFILIATE_PERMISSIONS) or {}
        return OwnAccount(
            affiliate=found,
            manager=staff.find_staff(conn, found.manager_id) if found.manager_id else None,
            api_key=keys.find_key(conn, AccountKind.AFFILIATE, affiliate_id, deps.cipher),
            balance=balances_of(deps, conn, [affiliate_id])[affiliate_id],
            permissions=permission_tree(installation, found.permissions),
        )


def renew_key(deps: Deps, affiliate_id: int, *, keep: str = "") -> str:
    """Give an affiliate a new key; the old one and its sessions end at once.

    keep: the id of the session that calls, which stays.
    """
    now, key = deps.clock.now_ms(), new_api_key()
    with deps.database.write() as conn:
        keys.remove_first_keys(conn, AccountKind.AFFILIATE, affiliate_id)
        sessions.remove_sessions(conn, Account(AccountKind.AFFILIATE, str(affiliate_id)), keep=keep)
        keys.add_key(conn, AccountKind.AFFILIATE, affiliate_id, key, deps.cipher, now)
    return key


def sign_up(deps: Deps, new: Affiliate, password: str, address: str) -> tuple[Affiliate, str]:
    """Create an affiliate that signs up; return it with its key, which works once it is active.

    Every required custom field is needed. For a taken e-mail address or login the answer looks the same, and a mail
    says what is wrong: strangers do not learn which accounts exist.
    address: of the client.
    Raises TooManyRequests and BadInput.
    """
    check_chosen_password(deps, password)
    now, by_address = deps.clock.now_ms(), digest(f"sign up:{network_of(address)}")
    with deps.database.write(independent=True) as conn:
        # Counted whatever the outcome: guessing taken addresses must not pay.
        tries, since = sign_ins.count_attempt(conn, [by_address], now, WINDOW_MS)[by_address]
    if tries > SIGN_UPS_PER_ADDRESS:
        raise TooManyRequests(-(-(since + WINDOW_MS - now) // 1000))
    password_hash = hash_password(password)  # takes long on purpose: before the transaction
    try:
        with deps.database.write() as conn:
            check_referrer(conn, Scope.everything(), new.ref)
            answers = checked_answers(conn, new.custom_fields, {}, complete=True)
            _check_free(conn, new)
            stored = replace(new, password_hash=password_hash, custom_fields=answers)
            affiliate_id, key = store_affiliate(deps, conn, stored)
            return required(affiliates.find_affiliate(conn, Scope.everything(), affiliate_id)), key
    except Conflict as taken:
        return _answer_alike(deps, new, NAME_TAKEN if "login" in (taken.fields or {}) else SIGN_UP_AGAIN)


def _check_free(conn: Connection, new: Affiliate) -> None:
    """Raise Conflict for a taken e-mail address or login, also of staff, before a number is given."""
    names = {new.email, (new.login or new.email).lower()}
    taken = affiliates.taken_names(conn, names)
    taken |= {name for name in names if staff.find_by_email(conn, name) is not None}
    if taken:
        raise Conflict({"email" if new.email in taken else "login": [EMAIL_TAKEN]})


def _answer_alike(deps: Deps, new: Affiliate, notice: Notice) -> tuple[Affiliate, str]:
    """Mail what is wrong to the address, once a day, and return what a new affiliate would be answered.

    The number is used up, so that the next sign-up has the same number in both cases.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        number = affiliates.use_up_number(conn, f"{new_api_key()}@sign-up.invalid", now)
        if sign_ins.claim_notice(conn, digest(f"sign-up notice:{new.email}"), now):
            send_notice(conn, notice, [Recipient(new.email, new.name or new.email)], now)
    return replace(new, id=number, login=new.login or new.email), new_api_key()

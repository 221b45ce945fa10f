"""Sign-up and sign-in of advertisers, and their keys (docs/spec/callers.md#advertisers-as-callers)."""

from dataclasses import dataclass, replace
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.events.publishing import publish
from trackyard.actions.people.credentials import check_chosen_password, check_login
from trackyard.actions.people.sign_in.by_password import check_second_factor
from trackyard.actions.people.sign_in.opening import OpenedSession, open_session
from trackyard.actions.people.sign_in.owners import notify_owner
from trackyard.actions.people.sign_up.limits import count_request
from trackyard.actions.platform.network import get_network
from trackyard.actions.platform.notices import KEY_MADE, SIGN_UP_AGAIN, Recipient, send_notice
from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import AccessDenied, required
from trackyard.base.ids import new_api_key, new_id
from trackyard.base.metrics import SIGN_INS
from trackyard.base.secrets import digest, hash_password
from trackyard.base.strangers import StrangerAct, act_of_strangers
from trackyard.base.texts.languages import spoken
from trackyard.domain.conversions.codes import CodeMode
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.people.advertisers import Advertiser, AdvertiserStatus
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.network import SignUpState
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers, affiliates, keys, sessions, sign_ins, staff
from trackyard.store.platform import settings
from trackyard.store.tracking import rulesets

SIGN_UPS_PER_NETWORK: Final = 10
"""Sign-ups of an address within WINDOW_MS; the next is rejected until the window ends."""


@dataclass(frozen=True, slots=True)
class SignedInAdvertiser:
    """An advertiser that signed in, its lasting key, and its session."""

    advertiser: Advertiser
    api_key: str
    opened: OpenedSession


@act_of_strangers(StrangerAct.SIGN_UP)
def sign_up(deps: Deps, new: Advertiser, password: str, address: str) -> None:
    """Create an advertiser on moderation: it may sign in once staff make it active.

    new: has an e-mail address.
    For a taken e-mail address the answer is the same, and a mail explains the problem.
    address: the client's IP address.
    Raises TooManyRequests, BadInput, and AccessDenied while sign-up is closed.
    """
    if get_network(deps).shown_advertiser_sign_up is SignUpState.CLOSED:
        raise AccessDenied("This network takes no sign-ups now", code=ErrorCode.SIGN_UP_CLOSED)
    check_chosen_password(deps, password)
    count_request(deps, "advertiser sign up", address, SIGN_UPS_PER_NETWORK)
    email = new.email or ""
    hashed, now = hash_password(password), deps.clock.now_ms()  # takes long on purpose: before the transaction
    with deps.database.write() as conn:
        if _is_taken(conn, email):
            if sign_ins.claim_notice(conn, digest(f"sign-up notice:{email}"), now):
                send_notice(conn, SIGN_UP_AGAIN, [Recipient(email, email, language=spoken().code)], now)
            return
        made = replace(
            new,
            id=new_id(now),
            hash_password=new_api_key() if settings.find_code_mode(conn) is CodeMode.GENERATE else None,
            password_hash=hashed,
            status=AdvertiserStatus.ON_MODERATION,
            created_at=now,
            updated_at=now,
        )
        advertisers.add_advertiser(conn, made)
        rulesets.touch(conn, "advertiser", made.id)
        concerned = Concerned(made.id, None, made.id)
        publish(conn, EventKind.ADVERTISER_SIGNED_UP, now, concerned, advertiser=made.title)


def sign_in(deps: Deps, email: str, password: str, address: str, user_agent: str, otp: str = "") -> SignedInAdvertiser:
    """Return an active advertiser with its key and a new session. address, user_agent: of the client.

    otp: the code of the second factor, or a recovery code; "" = none was sent.
    Raises what sign-in of others raises.
    """
    checked = check_login(deps, email, password, address, sign_ins.list_advertisers)
    has_factor = check_second_factor(deps, checked, otp)
    account, now = checked.account, deps.clock.now_ms()
    with deps.database.write() as conn:
        checked.settle(conn, now)
        opened = open_session(deps, conn, account, address, user_agent, second_factor=has_factor, for_browser=False)
        if checked.password_until is not None:
            key = opened.key  # a password that was given opens nothing but the choice of another
        else:
            key = keys.find_key(conn, account.kind, account.id, deps.cipher) or _add_key(deps, conn, account)
        found = required(advertisers.find_advertiser(conn, Scope.everything(), account.id))
    SIGN_INS.labels("accepted").inc()
    return SignedInAdvertiser(found, key, opened)


def renew_key(deps: Deps, account: Account, *, keep: str = "") -> str:
    """Give an advertiser a new key and return it; the old one and its sessions end.

    keep: the id of the session that calls, which stays.
    """
    with deps.database.write() as conn:
        keys.remove_first_keys(conn, account.kind, account.id)
        sessions.remove_sessions(conn, account, keep=keep)
        return _add_key(deps, conn, account)


def _add_key(deps: Deps, conn: Connection, account: Account) -> str:
    key = new_api_key()
    keys.add_key(conn, AccountKind.ADVERTISER, account.id, key, deps.cipher, deps.clock.now_ms())
    notify_owner(conn, account, KEY_MADE, deps.clock.now_ms())
    return key


def _is_taken(conn: Connection, email: str) -> bool:
    named = affiliates.is_login(conn, email) or bool(affiliates.taken_names(conn, {email}))
    return named or staff.find_by_email(conn, email) is not None or advertisers.has_email(conn, email)

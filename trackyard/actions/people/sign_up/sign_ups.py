"""Signing up as an affiliate (docs/spec/callers.md#sign-in)."""

from dataclasses import replace
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.affiliates import EMAIL_TAKEN, check_referrer, publish_sign_up, store_affiliate
from trackyard.actions.people.credentials import check_chosen_password
from trackyard.actions.people.email_confirmations import send_link
from trackyard.actions.people.sign_up.limits import count_request
from trackyard.actions.platform.custom_fields import checked_answers
from trackyard.actions.platform.network import get_network
from trackyard.actions.platform.notices import NAME_TAKEN, SIGN_UP_AGAIN, Recipient, send_notice
from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import AccessDenied, BadInput, Conflict, required
from trackyard.base.ids import new_api_key
from trackyard.base.secrets import digest, hash_password
from trackyard.base.strangers import StrangerAct, act_of_strangers
from trackyard.base.texts.languages import spoken
from trackyard.domain.people.affiliates import Affiliate, EmailState
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.mails.kinds import Notice
from trackyard.domain.platform.network import SignUpState
from trackyard.store.engine.database import Connection
from trackyard.store.people import affiliates, sign_ins, staff
from trackyard.store.people.terms import add_acceptance

SIGN_UPS_PER_NETWORK: Final = 10
"""Sign-ups of an address within WINDOW_MS; the next is rejected until the window ends."""


@act_of_strangers(StrangerAct.SIGN_UP)
def sign_up(
    deps: Deps, new: Affiliate, password: str, address: str, *, accepts_terms: bool = False
) -> tuple[Affiliate, str]:
    """Create an affiliate that signs up; return it with its key, which works once it is active.

    Every required custom field is needed. A mail contains a link to confirm the e-mail address.
    For a taken e-mail address or login the answer looks the same, and a mail explains the problem: strangers do not
    learn which accounts exist.
    address: the client's IP address.
    accepts_terms: whether it accepts the terms of the network, which it must when there are any.
    Raises TooManyRequests, BadInput, and AccessDenied while sign-up is closed.
    """
    terms = _check_network(deps, accepts_terms=accepts_terms)
    check_chosen_password(deps, password)
    count_request(deps, "sign up", address, SIGN_UPS_PER_NETWORK)
    password_hash = hash_password(password)  # takes long on purpose: before the transaction
    try:
        with deps.database.write() as conn:
            check_referrer(conn, Scope.everything(), new.ref)
            answers = checked_answers(conn, new.custom_fields, {}, complete=True)
            _check_free(conn, new)
            waiting = replace(new, email_state=EmailState.WAITING, password_hash=password_hash, custom_fields=answers)
            affiliate_id, key = store_affiliate(deps, conn, waiting)
            made = required(affiliates.find_affiliate(conn, Scope.everything(), affiliate_id))
            if terms:
                add_acceptance(conn, affiliate_id, terms, deps.clock.now_ms())
            send_link(deps, conn, made, made.email)
            if not deps.needs_confirmed_email:  # else staff can decide once the e-mail address is confirmed
                publish_sign_up(conn, made, deps.clock.now_ms())
            return made, key
    except Conflict as taken:
        return _answer_alike(deps, new, NAME_TAKEN if "login" in (taken.fields or {}) else SIGN_UP_AGAIN)


def _check_network(deps: Deps, *, accepts_terms: bool) -> str:
    """Return the version of the terms that a new affiliate accepts, "" without terms. Raises as sign_up."""
    network = get_network(deps)
    if network.sign_up is SignUpState.CLOSED:
        raise AccessDenied("This network takes no sign-ups now", code=ErrorCode.SIGN_UP_CLOSED)
    if network.terms_version and not accepts_terms:
        raise BadInput({"accept_terms": ["Accept the terms of the network."]})
    return network.terms_version


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
            send_notice(conn, notice, [Recipient(new.email, new.email, language=spoken().code)], now)
    return replace(new, id=number, login=new.login or new.email), new_api_key()

"""Confirming that an e-mail address is an affiliate's own, by a link in a mail.

See docs/spec/callers.md#e-mail-addresses. No answer reveals whether an address is known.
"""

from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.affiliates import publish_sign_up
from trackyard.actions.people.credentials import check_own_password
from trackyard.actions.people.security_log import record_event
from trackyard.actions.people.sign_up.limits import count_request
from trackyard.actions.platform.notices import CONFIRM_EMAIL, EMAIL_CHANGED, Recipient, recipient_of, send_notice
from trackyard.base.errors import BadInput, required
from trackyard.base.ids import new_api_key
from trackyard.base.secrets import digest
from trackyard.base.strangers import StrangerAct, act_of_strangers
from trackyard.base.texts.languages import spoken
from trackyard.domain.people.affiliates import Affiliate, EmailState
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.security_log import SecurityEvent, SecurityOutcome
from trackyard.store.engine.database import Connection
from trackyard.store.people import affiliates, email_confirmations, sign_ins, staff
from trackyard.store.people.email_confirmations import EmailConfirmation
from trackyard.store.tracking import rulesets

RESEND_MS: Final = 10 * 60_000
"""Time between two links that a stranger asks for."""
LINKS_PER_NETWORK: Final = 10
CONFIRMATIONS_PER_NETWORK: Final = 100
"""Requests of a network within WINDOW_MS; the next is rejected until the window ends."""

CONFIRM_PAGE: Final = "/confirm-email"
"""The page of the API that a link opens. The token is behind #, which browsers keep from servers and their logs."""

_WRONG_TOKEN: Final = "This link was used already, or is older than 24 hours: ask for a new one."  # noqa: S105


class _NotAllowed(Exception):
    """The affiliate was banned, or another account has the address since the link was sent; all is undone."""


def send_link(deps: Deps, conn: Connection, affiliate: Affiliate, email: str) -> None:
    """Mail a link to an address to confirm it.

    email: the affiliate's address, or the new one that it requests.
    """
    now, token = deps.clock.now_ms(), new_api_key()
    account = Account(AccountKind.AFFILIATE, str(affiliate.id))
    recipient = Recipient(
        email, email, account, spoken().code
    )  # a name is the text of a stranger, and the e-mail address may be anyone's
    [mail_id] = send_notice(conn, CONFIRM_EMAIL, [recipient], now, link=f"{deps.api_url}{CONFIRM_PAGE}#{token}")
    email_confirmations.add_token(conn, token, EmailConfirmation(affiliate.id, email), mail_id, now)


@act_of_strangers(StrangerAct.SEND_LINK)
def send_link_again(deps: Deps, email: str, address: str) -> None:
    """Mail another link to an address that waits for confirmation; others get nothing.

    address: the client's IP address.
    Raises TooManyRequests.
    """
    count_request(deps, "confirmation link", address, LINKS_PER_NETWORK)
    with deps.database.write() as conn:
        found = affiliates.find_by_email(conn, email)
        mark = digest(f"confirmation link:{email}")
        is_first = sign_ins.claim_notice(conn, mark, deps.clock.now_ms(), RESEND_MS)
        if found is not None and is_first and _is_waiting(found):
            send_link(deps, conn, found, found.email)


def change_email(deps: Deps, account: Account, password: str, email: str, address: str) -> None:
    """Mail a link to the new address of an affiliate: the address changes once the link is used.

    Nothing is sent to an address of another account. address: the client's IP address.
    Raises BadInput for a wrong password, and TooManyRequests.
    """
    check_own_password(deps, account, password, address)
    count_request(deps, f"address of {account.name}", address, LINKS_PER_NETWORK)
    with deps.database.write() as conn:
        found = required(affiliates.find_affiliate(conn, Scope.everything(), int(account.id)))
        if not _is_taken(conn, email, found.id):
            send_link(deps, conn, found, email)


@act_of_strangers(StrangerAct.USE_LINK)
def confirm_email(deps: Deps, token: str, address: str) -> None:
    """Confirm the address to which a link was sent; each link works once.

    address: the client's IP address.
    Raises BadInput for an unknown, used or expired token, and TooManyRequests.
    """
    count_request(deps, "confirm address", address, CONFIRMATIONS_PER_NETWORK)
    try:
        with deps.database.write() as conn:
            wanted = email_confirmations.use_token(conn, token, deps.clock.now_ms())
            if wanted is not None:
                _confirm(deps, conn, wanted)
                return
    except _NotAllowed:
        wanted = None
    with deps.database.write(independent=True) as conn:
        record_event(conn, SecurityEvent.EMAIL_CONFIRMED, SecurityOutcome.WRONG, deps.clock.now_ms())
    raise BadInput({"token": [_WRONG_TOKEN]})


def _confirm(deps: Deps, conn: Connection, wanted: EmailConfirmation) -> None:
    """Mark an e-mail address as confirmed. Raises _NotAllowed."""
    now = deps.clock.now_ms()
    before = required(affiliates.find_affiliate(conn, Scope.everything(), wanted.affiliate_id, lock=True))
    if before.status.rule.is_blocked:
        raise _NotAllowed
    values: dict[str, Any] = {"email_state": EmailState.CONFIRMED, "updated_at": now}
    if wanted.email != before.email:
        values |= {
            "email": wanted.email,
            "login": wanted.email if before.login.lower() == before.email else before.login,
        }
        if _is_taken(conn, wanted.email, before.id) or affiliates.claim_names(
            conn, before.id, values["email"], values["login"]
        ):
            raise _NotAllowed
        send_notice(conn, EMAIL_CHANGED, [recipient_of(before)], now)
        rulesets.touch(conn, "affiliate", before.id)
    affiliates.edit_affiliate(conn, before.id, values)
    email_confirmations.remove_tokens(conn, before.id)
    if deps.needs_confirmed_email and before.email_state is EmailState.WAITING and before.status.rule.is_undecided:
        publish_sign_up(conn, before, now)
    account = Account(AccountKind.AFFILIATE, str(before.id))
    record_event(conn, SecurityEvent.EMAIL_CONFIRMED, SecurityOutcome.ACCEPTED, now, account)


def _is_waiting(affiliate: Affiliate) -> bool:
    return affiliate.email_state is EmailState.WAITING and not affiliate.status.rule.is_blocked


def _is_taken(conn: Connection, email: str, affiliate_id: int) -> bool:
    """Return whether another affiliate or a staff user has a name or address."""
    owner = affiliates.owner_of_name(conn, email)
    return owner not in (None, affiliate_id) or staff.find_by_email(conn, email) is not None

"""Links in mails that switch them off without a sign-in (docs/spec/mails.md#links-that-stop-mails)."""

import json
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

import msgspec

from trackyard.actions.deps import Deps
from trackyard.actions.people.sign_up.limits import count_request
from trackyard.actions.people.signers import find_signer
from trackyard.base.errors import NotFound
from trackyard.base.secrets import DecryptionFailed, SecretCipher
from trackyard.base.strangers import StrangerAct, act_of_strangers
from trackyard.domain.events.kinds import EVENT_RULES, Channel, EventKind
from trackyard.domain.people.callers import Account
from trackyard.store.events import choices

STOP_PAGE: Final = "/sign-in/mails"
WRONG_PER_NETWORK: Final = 100
"""Wrong keys of a network; the next is refused for a while."""
_PURPOSE: Final = "stop-mails"


@dataclass(frozen=True, slots=True)
class StoppableMail:
    """The mails about a kind that an account may stop. is_on: whether it gets them now."""

    account: Account
    kind: EventKind
    is_on: bool

    @property
    def label(self) -> str:
        """Return the name of the kind on pages."""
        return str(EVENT_RULES[self.kind].label)


def may_stop(kind: str) -> bool:
    """Return whether mails about a kind can be switched off."""
    return kind in set(EventKind) and not EVENT_RULES[EventKind(kind)].is_required


def stop_link(cipher: SecretCipher | None, base: str, account: Account, kind: EventKind) -> str:
    """Return the link that stops mails about a kind to an account; "" where it has none.

    base: the beginning of links, "" = it is not known.
    """
    if cipher is None or not base or not may_stop(kind):
        return ""
    sealed = cipher.for_purpose(_PURPOSE).encrypt(json.dumps([account.name, kind]))
    return f"{base}{STOP_PAGE}?key={quote(sealed, safe='')}"


def get_stoppable(deps: Deps, key: str) -> StoppableMail:
    """Return the mails that the key of a link stops. Raises NotFound for every other text."""
    account, kind = _opened(deps, key)
    with deps.database.read() as conn:
        if find_signer(conn, account) is None:
            raise NotFound
        chosen = choices.find_of_kind(conn, [account], kind).get(account.name, {})
    return StoppableMail(account, kind, chosen.get(Channel.MAIL, True))


@act_of_strangers(StrangerAct.USE_LINK)
def switch_mails(deps: Deps, key: str, address: str, *, is_on: bool) -> StoppableMail:
    """Switch the mails about the kind of a link on or off. Nothing else changes.

    address: the client's IP address. A provider of mail sends the forms of many people: only wrong keys count.
    Raises NotFound and TooManyRequests.
    """
    try:
        account, kind = _opened(deps, key)
    except NotFound:
        count_request(deps, "stop mails", address, WRONG_PER_NETWORK)
        raise
    with deps.database.write() as conn:
        if find_signer(conn, account) is None:
            raise NotFound
        choices.switch(conn, account, kind, Channel.MAIL, is_on=is_on)
    return StoppableMail(account, kind, is_on)


def _opened(deps: Deps, key: str) -> tuple[Account, EventKind]:
    """Return the account and the kind in the key of a link. Raises NotFound."""
    try:
        name, kind = msgspec.json.decode(deps.cipher.for_purpose(_PURPOSE).decrypt(key), type=tuple[str, str])
        account = Account.of_name(name)
    except (DecryptionFailed, ValueError):
        raise NotFound from None
    if not may_stop(kind):
        raise NotFound
    return account, EventKind(kind)

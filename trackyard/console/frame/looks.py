"""Staff look at a portal as its owner sees it (docs/spec/console.md#looking-as-an-affiliate).

The browser holds an encrypted text: the session, the portal and the end of the look. Every request checks again
whether the person may see the affiliate or the advertiser.
"""

from trackyard.actions.people.callers import LOOK_MS, find_looked
from trackyard.console.frame.request import Look, PageRequest
from trackyard.console.seals import SealPurpose, seal, unseal
from trackyard.domain.people.callers import HOMES, Account, AccountKind, Caller, StaffCaller


def seal_look(request: PageRequest, account: Account) -> str:
    """Return the encrypted text that lets a session look at an account's portal for 30 minutes."""
    ends_at = request.deps.clock.now_ms() + LOOK_MS
    session = _session(request.person.caller)
    return seal(request.deps.cipher, SealPurpose.LOOK, session, account.kind, account.id, ends_at)


def read_look(request: PageRequest, caller: Caller) -> Look | None:
    """Return the look of a staff user's session, also one that has ended; None for every other session."""
    if not request.sealed_look or not isinstance(caller, StaffCaller):
        return None
    found = unseal(request.deps.cipher, SealPurpose.LOOK, request.sealed_look, tuple[str, AccountKind, str, int])
    if found is None or found[0] != _session(caller):
        return None
    _, kind, number, ends_at = found
    account = Account(kind, number)
    return Look(account, ends_at) if request.address.path.startswith(HOMES[account.kind]) else None


def find_looked_at(request: PageRequest, caller: Caller, look: Look) -> Caller | None:
    """Return the affiliate or the advertiser of a look.

    None when it has ended, or the person may not see the account any more.
    """
    if not isinstance(caller, StaffCaller) or look.ends_at <= request.deps.clock.now_ms():
        return None
    return find_looked(request.deps, caller, look.account)


def _session(caller: Caller) -> str:
    return f"{caller.account.name} {caller.session}"

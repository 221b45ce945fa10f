"""Staff look at a portal as its owner sees it (docs/spec/console.md#looking-as-an-affiliate).

The browser holds an encrypted text: the session, the portal and the end of the look. Every request checks again
whether the person may see the affiliate or the advertiser.
"""

from trackyard.actions.people.callers import LOOK_MS, find_looked
from trackyard.console.frame.request import Look, PageRequest
from trackyard.console.seals import SealPurpose, seal, unseal
from trackyard.domain.people.callers import HOMES, Account, Caller, StaffCaller


def seal_look(request: PageRequest, company: Account, person: Account | None = None) -> str:
    """Return the encrypted text that lets a session look at a company's portal for 30 minutes.

    person: the member of the company that the staff user looks as; None = its owner.
    """
    ends_at = request.deps.clock.now_ms() + LOOK_MS
    session = _session(request.person.caller)
    return seal(request.deps.cipher, SealPurpose.LOOK, session, company.name, (person or company).name, ends_at)


def read_look(request: PageRequest, caller: Caller) -> Look | None:
    """Return the look of a staff user's session, also one that has ended; None for every other session."""
    if not request.sealed_look or not isinstance(caller, StaffCaller):
        return None
    found = unseal(request.deps.cipher, SealPurpose.LOOK, request.sealed_look, tuple[str, str, str, int])
    if found is None or found[0] != _session(caller):
        return None
    company, account = Account.of_name(found[1]), Account.of_name(found[2])
    is_there = request.address.path.startswith(HOMES[company.kind])
    return Look(company, account, found[3]) if is_there else None


def find_looked_at(request: PageRequest, caller: Caller, look: Look) -> Caller | None:
    """Return the owner or the member of a company that a staff user looks as.

    None when the look has ended, the staff user may not see the company any more, or the member has left it.
    """
    if not isinstance(caller, StaffCaller) or look.ends_at <= request.deps.clock.now_ms():
        return None
    found = find_looked(request.deps, caller, look.account)
    return found if found is not None and found.company == look.company else None


def _session(caller: Caller) -> str:
    return f"{caller.account.name} {caller.session}"

"""New passwords: their rule, and changing one's own (docs/spec/callers.md#keys-and-passwords)."""

from trackyard.actions.deps import Deps
from trackyard.actions.people.credentials import check_own_password
from trackyard.base.errors import BadInput
from trackyard.base.secrets import hash_password
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.store.people import affiliates, sessions, staff


def check_chosen_password(deps: Deps, password: str, field: str = "password") -> None:
    """Raise BadInput for a password that people may not choose. field: its name in the request."""
    fault = deps.passwords.chosen_fault(password)
    if fault is not None:
        raise BadInput({field: [fault]})


def check_set_password(deps: Deps, password: str) -> None:
    """Raise BadInput for a password that staff may not set."""
    fault = deps.passwords.set_fault(password)
    if fault is not None:
        raise BadInput({"password": [fault]})


def change_own_password(deps: Deps, account: Account, session: str, password: str, new: str, address: str) -> int:
    """Change the password of the account that calls; return the number of sessions that ended.

    session: the id of the session that calls, which stays; the others end.
    address: of the client.
    Raises BadInput for a wrong password or a new one that may not be chosen, and TooManyRequests.
    """
    check_chosen_password(deps, new, "new_password")
    check_own_password(deps, account, password, address)
    values = {"password_hash": hash_password(new), "updated_at": deps.clock.now_ms()}
    with deps.database.write() as conn:
        match account.kind:
            case AccountKind.STAFF:
                staff.edit_staff(conn, account.id, values)
            case AccountKind.AFFILIATE:
                affiliates.edit_affiliate(conn, int(account.id), values)
        return sessions.remove_sessions(conn, account, keep=session)

"""The lasting key of an account (docs/spec/callers.md#api-keys-in-answers)."""

from trackyard.actions.deps import Deps
from trackyard.actions.people.credentials import check_own_password
from trackyard.domain.people.callers import Account
from trackyard.store.people import keys


def show_key(deps: Deps, account: Account, password: str, address: str) -> str | None:
    """Return the lasting key of an account after checking its password. address: of the client.

    Raises BadInput for a wrong password, and TooManyRequests.
    """
    check_own_password(deps, account, password, address)
    with deps.database.read() as conn:
        return keys.find_key(conn, account.kind, account.id, deps.cipher)

"""People at the pages of affiliates, advertisers and money."""

from dataclasses import dataclass
from decimal import Decimal

from tests.support.api import Api
from tests.support.pages import PASSWORD, Visitor, console_app
from trackyard.actions.people.staff import set_password
from trackyard.domain.money.ledger import LedgerEntry
from trackyard.domain.people.roles import Role
from trackyard.store.money import ledger

HOSTILE = '"><script>alert(1)</script>\N{RIGHT-TO-LEFT OVERRIDE}=1+1'


def earn(api: Api, pid: int, available: str, *, hold: str = "0", currency: str = "USD") -> None:
    """Give an affiliate an amount, as a conversion does."""
    entry = LedgerEntry(
        affiliate_id=pid, kind="conversion", source_id=f"{pid}-{available}-{hold}", version=1, currency=currency,
        hold=Decimal(hold), available=Decimal(available), at=api.clock.now_ms(),
    )  # fmt: skip
    with api.deps.database.write() as conn:
        ledger.add_entries(conn, [entry])


@dataclass(frozen=True)
class Desk:
    """A manager who is signed in. manager: its id."""

    visitor: Visitor
    manager: str


def desk_of(api: Api, role: Role) -> Desk:
    """Return a signed-in manager with a role."""
    manager, _ = api.add_staff(role)
    set_password(api.deps, manager, PASSWORD)
    visitor = Visitor(console_app(api))
    email = api.admin.get(f"/3.0/admin/user/{manager}")["user"]["email"]
    assert visitor.sign_in(email).status_code == 303
    return Desk(visitor, manager)


def numbers(visitor: Visitor, path: str) -> list[str]:
    """The ids that the rows of a list lead to, in its order."""
    root = path.partition("?")[0]
    links = [link for link in visitor.read(path).links if link.startswith(f"{root}/")]
    return [
        each
        for each in dict.fromkeys(link.removeprefix(f"{root}/") for link in links)
        if each not in ("new", "invite", "invite-many")
    ]

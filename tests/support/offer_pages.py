"""A manager of sales with offers of its own at the pages of offers."""

from dataclasses import dataclass

from tests.support.api import Api
from tests.support.pages import PASSWORD, Visitor, console_app
from trackyard.actions.people.staff import set_password
from trackyard.domain.people.roles import Role


@dataclass(frozen=True)
class SalesDesk:
    """A manager of sales who is signed in, an own offer, and one of other people."""

    visitor: Visitor
    own: int
    foreign: int
    foreign_advertiser: str


def sales_desk(api: Api) -> SalesDesk:
    """Return a manager of sales with one of two offers."""
    manager, _ = api.add_staff(Role.MANAGER_SALES)
    own = api.add_offer(advertiser=api.add_advertiser(manager=manager, title="My advertiser"), title="Own")
    theirs = api.add_advertiser(title="Their advertiser")
    foreign = api.add_offer(advertiser=theirs, title="Foreign")
    set_password(api.deps, manager, PASSWORD)
    visitor = Visitor(console_app(api))
    email = api.admin.get(f"/3.0/admin/user/{manager}")["user"]["email"]
    assert visitor.sign_in(email).status_code == 303
    return SalesDesk(visitor, own, foreign, theirs)

"""A look at a portal shows what both the owner and the staff user may see.

docs/spec/console.md#looking-as-an-affiliate
"""

import pytest

from tests.support.api import Api
from tests.support.pages import PASSWORD, Visitor, console_app
from trackyard.actions.people.staff import set_password
from trackyard.console.frame.pages import PageTable
from trackyard.console.parts import PARTS
from trackyard.domain.people.roles import Role

DENIED = ("general.billing", "stats.conversions-list", "stats.clicks-list", "stats.slice-sub1")
CLOSED = {
    "/portal/conversions", "/portal/conversions/file", "/portal/payments", "/portal/payments/request",
    "/portal/statement", "/portal/statement/file",
}  # fmt: skip
"""Pages of the portal that the levels of the test refuse in a look."""


def manager_visitor(api: Api, role: Role) -> tuple[str, Visitor]:
    number, _ = api.add_staff(role)
    set_password(api.deps, number, PASSWORD)
    visitor = Visitor(console_app(api))
    visitor.sign_in(api.admin.get(f"/3.0/admin/user/{number}")["user"]["email"])
    return number, visitor


def deny(api: Api, number: str) -> None:
    sent = {f"permissions[{area}][{name}][level]": "deny" for area, _, name in (x.partition(".") for x in DENIED)}
    api.admin.post(f"/3.1/user/{number}/permissions", **sent)


def pages_of(audience: str) -> list[str]:
    """The pages of a portal that have no variables in their paths."""
    routes = PageTable(PARTS).routes
    return sorted(
        {each.path for each in routes if (each.method, each.audience) == ("GET", audience) and "{" not in each.path}
    )


def test_look_of_a_manager_shows_no_page_that_its_levels_refuse(api: Api) -> None:
    number, visitor = manager_visitor(api, Role.MANAGER_AFFILIATE)
    pid, _ = api.add_affiliate(status="active", manager_id=number)
    api.admin.post("/3.1/admin/corrections", pid=pid, amount="14.82", currency="USD", comment="Bonus")
    paths = pages_of("affiliate")
    assert len(paths) > 20, paths

    def statuses() -> dict[str, int]:
        assert visitor.post(f"/console/affiliates/{pid}/look-as").status_code == 303
        answers = {path: visitor.get(f"{path}?format=csv" if path.endswith("file") else path) for path in paths}
        assert {each.status_code for each in answers.values()} <= {200, 303, 400, 403, 404}
        shown.append({path for path, each in answers.items() if "14.82" in each.text})
        visitor.post("/console/end-look", affiliate=str(pid))
        return {path: each.status_code for path, each in answers.items()}

    shown: list[set[str]] = []
    before = statuses()
    assert {"/portal/", "/portal/payments"} <= shown[0]
    assert "14.82" in visitor.get(f"/console/affiliates/{pid}").text
    deny(api, number)
    after = statuses()
    assert shown[1] == set()
    assert {path for path in paths if before[path] != 403 == after[path]} == {
        path for path in CLOSED if before[path] != 403
    }
    for path in ("/console/affiliates", f"/console/affiliates/{pid}"):
        assert "14.82" not in visitor.read(path).text, path


@pytest.mark.parametrize("by", ["sub1", "sub2"])
def test_report_in_a_look_has_no_slice_that_the_levels_of_the_manager_hide(api: Api, by: str) -> None:
    number, visitor = manager_visitor(api, Role.MANAGER_AFFILIATE)
    pid, _ = api.add_affiliate(status="active", manager_id=number)
    deny(api, number)
    visitor.post(f"/console/affiliates/{pid}/look-as")
    shown = visitor.get("/portal/reports").text
    offered = f";by={by}" in shown
    answer = visitor.get(f"/portal/reports/file?format=csv&by={by}")
    assert offered == (by == "sub2")
    assert ("sub1" in answer.text.partition("\n")[0]) is False
    assert (answer.status_code == 200 and "sub2" in answer.text) == (by == "sub2")


def test_look_at_an_advertiser_shows_no_page_that_the_levels_of_the_manager_refuse(api: Api) -> None:
    number, visitor = manager_visitor(api, Role.MANAGER_SALES)
    advertiser = api.add_advertiser(manager=number, status="active")
    found = []
    for _ in range(2):
        assert visitor.post(f"/console/advertisers/{advertiser}/look-as").status_code == 303
        found.append({path: visitor.get(path).status_code for path in pages_of("advertiser")})
        visitor.post("/console/end-look", advertiser=advertiser)
        deny(api, number)
    before, after = found
    assert {path for path in before if before[path] != 403 == after[path]} == {
        "/advertiser/conversions",
        "/advertiser/invoices",
    }
    assert visitor.get("/advertiser/conversions?format=csv").status_code == 403
    assert len(before) == 15

"""The list of staff users (docs/spec/console.md#staff)."""

from typing import Final

from trackyard.api.people import staff
from trackyard.console.account.roles import role_names
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.staff.people_names import full_name

pages = Pages()

PATH: Final = "/console/staff"
PER_PAGE: Final = 50


@pages.get(PATH, needs=(staff.list_,))
def staff_users(request: PageRequest) -> PageAnswer:
    """Show staff users, a page at a time, the oldest first."""
    address = request.address
    words = address.get("q").strip()[:200]
    sent = [
        *([("q", words)] if words else []),
        ("limit", str(PER_PAGE)),
        ("page", str(address.page)),
    ]
    if (file := list_file(request, staff.list_, lambda answer: answer.users, sent)) is not None:
        return file
    answer = request.calls.ask(staff.list_, sent)
    pagination = answer.pagination
    return request.page(
        "staff/accounts/list.html",
        rows=answer.users,
        full_name=full_name,
        role_names=role_names,
        total=pagination.total_count,
        page=pagination.page,
        first=(pagination.page - 1) * PER_PAGE + 1,
        may_add=request.calls.may(staff.add),
        api_request_path=request.calls.address(staff.list_, sent),
    )

"""What keeps a staff user out: blocking and removal."""

from typing import Final

from trackyard.api.people import staff
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import LazyText, gettext
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.methods import Method
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.accounts.listing import PATH
from trackyard.console.staff.accounts.one import find_user
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.people_names import full_name
from trackyard.domain.people.staff import StaffStatus

pages = Pages()

_MOST_USERS: Final = 500
"""The most staff users from which a successor is chosen."""


@pages.post(f"{PATH}/{{id}}/block", needs=(staff.block,))
def block(request: PageRequest) -> PageAnswer:
    """Block the user."""
    return _change(request, staff.block, LazyText(StaffStatus.BLOCKED.rule.done))


@pages.post(f"{PATH}/{{id}}/unblock", needs=(staff.unblock,))
def unblock(request: PageRequest) -> PageAnswer:
    """Let the user in again."""
    return _change(request, staff.unblock, LazyText(StaffStatus.ACTIVE.rule.done))


@pages.get(f"{PATH}/{{id}}/remove", needs=(staff.remove,))
def ask_removal(request: PageRequest) -> PageAnswer:
    """Ask before the user is removed."""
    return _removal(request)


@pages.post(f"{PATH}/{{id}}/remove", needs=(staff.remove,))
def remove(request: PageRequest) -> PageAnswer:
    """Remove the user; a successor takes over what it manages."""
    name, successor = full_name(find_user(request)), request.field("successor")
    try:
        sent = [("successor", successor)] if successor else []
        request.calls.ask(staff.remove, sent, request.path)
    except BadInput as refusal:
        return _removal(request, fault_of(refusal))
    return Redirect(PATH, gettext("%(name)s is removed.", name=name))


def _change(request: PageRequest, method: Method, done: str) -> PageAnswer:
    """Call a method for the user of the path, and lead back to its page with the result.

    done: a text with {name}.
    """
    name = full_name(find_user(request))
    try:
        request.calls.ask(method, path=request.path)
    except BadInput as refusal:
        return Redirect(_path(request), gettext("Nothing was changed. %(fault)s", fault=fault_of(refusal)))
    return Redirect(_path(request), done.format(name=name))


def _removal(request: PageRequest, fault: str = "") -> Html:
    user = find_user(request)
    others = request.calls.ask(staff.list_, [("limit", str(_MOST_USERS))]).users
    able = (each for each in others if each.id != user.id and StaffStatus(each.status).rule.is_at_work)
    return request.page(
        "staff/accounts/remove.html",
        400 if fault else 200,
        user=user,
        name=full_name(user),
        successors=[(each.id, full_name(each)) for each in able],
        chosen=request.field("successor"),
        path=_path(request),
        fault=fault,
    )


def _path(request: PageRequest) -> str:
    return f"{PATH}/{request.key}"

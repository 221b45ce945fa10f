"""The people of an affiliate or an advertiser, on their own pages and on the pages of staff.

docs/spec/console.md#people-of-a-company
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from trackyard.api.people import advertisers, affiliates
from trackyard.api.people import company_people as api
from trackyard.api.people.company_people import CompanyPeopleAnswer, CompanyPersonView
from trackyard.base.errors import BadInput, Conflict, NotFound, TooManyRequests
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Looks, PageAnswer, Redirect
from trackyard.console.frame.looks import seal_look
from trackyard.console.frame.methods import Method, Needs
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import Audience, PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import Act, ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.page import declare_list
from trackyard.console.staff.access import access_card, declare_access
from trackyard.console.staff.faults import fault_of
from trackyard.domain.people.callers import HOMES, Account, AccountKind
from trackyard.domain.people.companies import COMPANY_ROLES, CompanyRole

pages = Pages()

_OWNER_LOOKS: Final[Mapping[AccountKind, Method]] = {
    AccountKind.AFFILIATE: affiliates.look_as,
    AccountKind.ADVERTISER: advertisers.look_as,
}
"""The method of a look as the owner, by the kind of the company."""
ROLE_WORDS: Final[Mapping[str, str]] = {role: rule.label for role, rule in COMPANY_ROLES.items()}
_GIVEN: Final = {role: word for role, word in ROLE_WORDS.items() if role != CompanyRole.OWNER}
_ROLE: Final = FormField("role", lazy_gettext("Role"), help="", words=_GIVEN)
NEW: Final = FormPlan(
    api.add,
    (
        FormGroup(
            lazy_gettext("Person"),
            (
                FormField("email", lazy_gettext("E-mail address"), help=lazy_gettext("The invitation goes to it.")),
                FormField("name", lazy_gettext("Name"), help=""),
                _ROLE,
            ),
        ),
    ),
)
EDIT: Final = FormPlan(api.edit, (FormGroup(lazy_gettext("Role"), (_ROLE,)),))


@dataclass(frozen=True, slots=True)
class PeoplePages:
    """A place of the pages about the people of a company.

    path: the path of the list. kind: the kind of the company in the path, for staff; None = the caller's own company.
    """

    path: str
    audience: Audience
    kind: AccountKind | None = None

    def company(self, request: PageRequest) -> Account:
        """Return the company of a request."""
        return request.person.caller.company if self.kind is None else Account(self.kind, request.key)

    def sent(self, request: PageRequest) -> list[Pair]:
        """Return the parameter of the company, which staff send."""
        return [] if self.kind is None else [("company", self.company(request).name)]

    def place(self, request: PageRequest) -> str:
        """Return the address of the list."""
        return self.path if self.kind is None else self.path.replace("{id}", request.key)


DOORS: Final = (
    PeoplePages("/portal/people", "affiliate"),
    PeoplePages("/advertiser/people", "advertiser"),
    PeoplePages("/console/affiliates/{id}/people", "staff", AccountKind.AFFILIATE),
    PeoplePages("/console/advertisers/{id}/people", "staff", AccountKind.ADVERTISER),
)


def _name(door: PeoplePages, each: CompanyPersonView, on: On) -> ListCell:
    link = f"{door.place(on.request)}/{each.id}" if each.id and on.request.calls.may(api.edit) else ""
    return cells.cell(each.name or each.email, each.email if each.name else "", link=link)


def _role(each: CompanyPersonView) -> ListCell:
    rule = CompanyRole(each.role).rule
    return cells.cell(str(rule.label), str(rule.about))


def _signed_in(each: CompanyPersonView, _on: On) -> ListCell:
    if each.last_login_at is not None:
        return cells.moment(each.last_login_at)
    return cells.cell(gettext("never") if not each.id else gettext("invited, has not signed in yet"))


def _acts(door: PeoplePages, each: CompanyPersonView, on: On) -> ListCell:
    calls, place, name = on.request.calls, door.place(on.request), each.name or each.email
    change = look = None
    if each.id and calls.may(api.edit):
        change = Act(gettext("Change"), f"{place}/{each.id}", about=gettext("Change %(name)s", name=name), is_link=True)
    if door.kind is not None and calls.may(api.look_as if each.id else _OWNER_LOOKS[door.kind]):
        path = f"{place}/{each.id}" if each.id else place.removesuffix("/people")
        about = gettext("Look at the portal as %(name)s sees it", name=name)
        look = Act(gettext("Look as"), f"{path}/look-as", about=about)
    return cells.acts(change, look)


def _look(door: PeoplePages, request: PageRequest) -> PageAnswer:
    """Show the portal as a person of the company sees it."""
    found = _found(door, request)
    try:
        answer = request.calls.ask(api.look_as, path={"id": found.id})
    except Conflict as refusal:
        return _page(door, request, found, fault_of(refusal), refusal.status)
    company, person = Account.of_name(answer.company), Account(AccountKind.MEMBER, answer.id)
    return Looks(HOMES[company.kind], seal_look(request, company, person))


def _more(door: PeoplePages, request: PageRequest) -> Iterator[PageLink]:
    if door.kind is not None:
        back = gettext("Affiliate") if door.kind is AccountKind.AFFILIATE else gettext("Advertiser")
        yield PageLink(back, door.place(request).removesuffix("/people"))


def _list(door: PeoplePages) -> ListPage[CompanyPersonView, CompanyPeopleAnswer]:
    """Return the list of a door."""
    return ListPage[CompanyPersonView, CompanyPeopleAnswer](
        path=door.path,
        audience=door.audience,
        method=api.list_,
        view=CompanyPeopleAnswer,
        rows=lambda _, answer: answer.people,
        title=lazy_gettext("People with access"),
        counted=lambda total: ngettext("%(num)d person.", "%(num)d people.", total),
        about=lazy_gettext("Each signs in with a password of their own. The owner decides who gets in."),
        variables=lambda request: (door.sent(request), {}),
        columns=(
            ListColumn(
                title=lazy_gettext("Name"),
                below=lazy_gettext("E-mail address"),
                role="title",
                cell=partial(_name, door),
            ),
            ListColumn(
                title=lazy_gettext("Role"),
                below=lazy_gettext("What the person may do"),
                cell=lambda each, _: _role(each),
            ),
            ListColumn(title=lazy_gettext("Last sign-in"), cell=_signed_in),
            ListColumn(title=lazy_gettext("Since"), cell=lambda each, _: cells.moment(each.created_at)),
            ListColumn(
                title=lazy_gettext("Actions"),
                role="act",
                is_hidden_title=True,
                shown=lambda request, _: request.calls.may(api.edit) or request.calls.may(api.look_as),
                cell=partial(_acts, door),
            ),
        ),
        links=partial(_more, door),
        main=lambda request: PageLink(gettext("Invite a person"), f"{door.place(request)}/new"),
        empty=lazy_gettext("Nobody has access yet."),
        per_page=100,
    )


def _new(door: PeoplePages, request: PageRequest) -> PageAnswer:
    form = open_form(request, NEW, fixed=door.sent(request))
    if form.save() is not None:
        sentence = gettext("An invitation is on its way to %(email)s.", email=request.field("email"))
        return Redirect(door.place(request), sentence)
    return form.page(
        request,
        gettext("Invite a person"),
        back=door.place(request),
        line=gettext("The person gets a link by mail, chooses a password with it, and signs in."),
        save=gettext("Send the invitation"),
    )


def _edit(door: PeoplePages, request: PageRequest) -> PageAnswer:
    found = _found(door, request)
    form = open_form(request, EDIT, found, path={"id": found.id})
    if form.save() is not None:
        return Redirect(door.place(request), gettext("The role of %(name)s is saved.", name=_called(found)))
    return _page(door, request, found)


def _access_page(
    door: PeoplePages, request: PageRequest, *, fault: str = "", status: int = 200, link: str = ""
) -> PageAnswer:
    """Return the page of the person of the path after a button of its access."""
    return _page(door, request, _found(door, request), fault, status, link)


def _page(
    door: PeoplePages,
    request: PageRequest,
    found: CompanyPersonView,
    fault: str = "",
    status: int = 200,
    link: str = "",
) -> PageAnswer:
    place = door.place(request)
    card = None if door.kind is None else access_card(request, AccountKind.MEMBER, f"{place}/{found.id}", link)
    return request.page(
        "people/company_person.html",
        status,
        form=open_form(request, EDIT, found, path={"id": found.id}),
        found=found,
        title=_called(found),
        address=PageAddress(f"{place}/{found.id}"),
        back=place,
        fault=fault,
        line=gettext("A role counts from the next page or request on."),
        meanings=[(rule.label, rule.about) for rule in COMPANY_ROLES.values()],
        asks_password=door.kind is None,
        card=card,
        save=gettext("Save"),
    )


def _do(method: Method, done: str, needs_password: bool, door: PeoplePages, request: PageRequest) -> PageAnswer:
    found = _found(door, request)
    sent = [("password", request.field("password"))] if needs_password and door.kind is None else []
    try:
        request.calls.ask(method, sent, {"id": found.id})
    except (BadInput, Conflict, TooManyRequests) as refusal:
        return _page(door, request, found, fault_of(refusal), refusal.status)
    return Redirect(door.place(request), str(done).format(name=_called(found)))


def _found(door: PeoplePages, request: PageRequest) -> CompanyPersonView:
    """Return the person of the path. Raises NotFound, also for the owner."""
    people: Sequence[CompanyPersonView] = request.calls.ask(api.list_, door.sent(request)).people
    found = next((each for each in people if each.id and each.id == request.path.get("person")), None)
    if found is None:
        raise NotFound
    return found


def _called(found: CompanyPersonView) -> str:
    return found.name or found.email


_ACTS: Final[tuple[tuple[str, Method, str, bool], ...]] = (
    ("invite", api.invite, lazy_gettext("The invitation of {name} is on its way again."), False),
    ("remove", api.remove, lazy_gettext("{name} has no access any more."), False),
    ("owner", api.hand_over, lazy_gettext("{name} owns the company now."), True),
)
"""What a button does: its address, its method, the sentence after it, and whether owners send a password."""


def _declare(door: PeoplePages) -> None:
    """Declare the pages of a door."""
    declare_list(pages, _list(door))
    for declare in (pages.get, pages.post):
        declare(f"{door.path}/new", audience=door.audience, needs=(api.list_, api.add))(partial(_new, door))
        needs: Needs = (api.list_, api.edit)
        declare(f"{door.path}/{{person}}", audience=door.audience, needs=needs)(partial(_edit, door))
    if door.kind is not None:
        needs = (api.list_, api.look_as)
        pages.post(f"{door.path}/{{person}}/look-as", audience=door.audience, needs=needs)(partial(_look, door))
        company = door.path.removesuffix("/people")
        declare_access(pages, AccountKind.MEMBER, partial(_access_page, door), api.list_, below=company)
    for name, method, done, asks in _ACTS:
        act = partial(_do, method, done, asks, door)
        pages.post(f"{door.path}/{{person}}/{name}", audience=door.audience, needs=(api.list_, method))(act)


for _door in DOORS:
    _declare(_door)


@pages.get("/portal/companies", audience="affiliate", needs=(api.list_own,))
@pages.get("/advertiser/companies", audience="advertiser", needs=(api.list_own,))
def companies(request: PageRequest) -> PageAnswer:
    """Let a person choose the company to act for."""
    return _companies(request)


@pages.post("/portal/companies", audience="affiliate", needs=(api.switch,))
@pages.post("/advertiser/companies", audience="advertiser", needs=(api.switch,))
def switch(request: PageRequest) -> PageAnswer:
    """Act for another company from now on."""
    try:
        chosen = request.calls.ask(api.switch, [("company", request.field("company"))]).company
    except BadInput as refusal:
        return _companies(request, fault_of(refusal), refusal.status)
    return Redirect(HOMES[Account.of_name(chosen.company).kind])


def _companies(request: PageRequest, fault: str = "", status: int = 200) -> PageAnswer:
    found = request.calls.ask(api.list_own).companies
    return request.page("people/companies.html", status, companies=found, words=ROLE_WORDS, fault=fault)

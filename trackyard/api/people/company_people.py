"""People of affiliates and advertisers (docs/spec/people.md#people-of-a-company)."""

from typing import Annotated, Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.people import companies
from trackyard.actions.people.callers import begin_person_look
from trackyard.actions.people.companies import CompanyOfPerson, CompanyPerson
from trackyard.actions.people.company_scope import PlaceInScope, check_company, find_place
from trackyard.actions.people.credentials import check_may_give_access
from trackyard.actions.people.second_factor import reset
from trackyard.api.lookups import path_hex
from trackyard.api.people.views import confirm_session
from trackyard.api.statistics.times import text_or_none
from trackyard.base.errors import BadInput
from trackyard.base.ids import is_hex24
from trackyard.base.zones import datetime_text
from trackyard.domain.people.callers import Account, AccountKind, StaffCaller
from trackyard.domain.people.companies import CompanyRole
from trackyard.domain.people.persons import MAX_NAME
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Rights, Routes, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()

_PEOPLE: Final = for_callers(Permission.COMPANY, advertisers=True)
_OF_COMPANIES: Final = Rights("affiliate", Permission.ACCOUNT, advertisers=True)
_INVITED: Final = tuple(each for each in CompanyRole if each is not CompanyRole.OWNER)

CompanyName = Annotated[str, s.BoundedText(minimum=1, maximum=40)]
Role = Annotated[CompanyRole, s.Choice(_INVITED)]


class CompanyParams(Params):
    """The company. company: "affiliate:7" or "advertiser:" and its id; staff need it, others have one."""

    company: CompanyName | None = None


class Invite(CompanyParams):
    """A person and what the person does for the company."""

    email: s.Email
    name: Annotated[str, s.BoundedText(maximum=MAX_NAME)] = ""
    role: Role


class EditRole(Params):
    """What a person does for the company."""

    role: Role


class HandOver(Params):
    """The confirmation. password: the owner's, which a session needs; staff send none."""

    password: Annotated[str, s.BoundedText(maximum=1000)] = ""


class SwitchCompany(Params):
    """The company that the session acts for from now on."""

    company: CompanyName


class CompanyPersonView(View):
    """A person of a company.

    id: "" for the owner, who is edited as the affiliate or the advertiser.
    joined: whether the person has signed in to the company.
    last_login_at: null before the first sign-in.
    """

    id: str
    role: str
    email: str
    name: str
    joined: bool
    last_login_at: str | None
    created_at: str


class CompanyPeopleAnswer(Answer):
    """The people of a company: its owner first, then the oldest."""

    people: list[CompanyPersonView]


class CompanyPersonAnswer(Answer):
    """One person of a company."""

    person: CompanyPersonView


class RemovedPersonAnswer(Answer):
    """The person who has no access to the company any more."""

    id: str


class PersonLookAnswer(Answer):
    """A look at the portal of a company as one of its people sees it.

    company: as in the parameter of that name.
    """

    id: str
    company: str
    ends_at: str


class OwnCompanyView(View):
    """A company that the caller may act for.

    company: as in the parameter of that name. current: whether this call acts for it.
    """

    company: str
    title: str
    role: str
    current: bool


class OwnCompaniesAnswer(Answer):
    """The companies that the caller may act for, the own one first."""

    companies: list[OwnCompanyView]


class OwnCompanyAnswer(Answer):
    """The company that the session acts for."""

    company: OwnCompanyView


@routes.get("/people", _PEOPLE, id="people.list")
def list_(request: ApiRequest[Deps], params: CompanyParams) -> CompanyPeopleAnswer:
    """List the people of a company, its owner first. Staff send `company`."""
    found = companies.list_people(request.deps, _company(request, params.company))
    return CompanyPeopleAnswer(people=[_view(each, request.deps.zone) for each in found])


@routes.post("/people", _PEOPLE, id="people.add", credentials=True, not_replayable=True)
def add(request: ApiRequest[Deps], params: Invite) -> CompanyPersonAnswer:
    """Invite a person to a company by mail.

    A link in it, which works once, lets the person choose a password.

    A person with this e-mail address who signs in here already gets the new company besides.
    """
    check_may_give_access(request.caller)
    company = _company(request, params.company)
    made = companies.invite(request.deps, company, params.email, params.name, params.role)
    return CompanyPersonAnswer(person=_view(made, request.deps.zone))


def _find(request: ApiRequest[Deps]) -> PlaceInScope:
    return find_place(request.deps, request.caller, path_hex(request))


@routes.post("/people/{id}", _PEOPLE, id="people.edit", credentials=True, find=_find)
def edit(request: ApiRequest[Deps], params: EditRole) -> CompanyPersonAnswer:
    """Change what a person does for the company, from the next request on."""
    place: PlaceInScope = request.subject
    after = companies.edit_role(request.deps, place.company, place.id, params.role)
    return CompanyPersonAnswer(person=_view(after, request.deps.zone))


@routes.post("/people/{id}/invite", _PEOPLE, id="people.invite", credentials=True, find=_find, not_replayable=True)
def invite(request: ApiRequest[Deps], _params: NoParams) -> CompanyPersonAnswer:
    """Mail the invitation of a person again. The link before ends."""
    check_may_give_access(request.caller)
    place: PlaceInScope = request.subject
    companies.invite_again(request.deps, place.company, place.id)
    return CompanyPersonAnswer(person=_shown(request, place))


@routes.post("/people/{id}/owner", _PEOPLE, id="people.owner", credentials=True, find=_find, not_replayable=True)
def hand_over(request: ApiRequest[Deps], params: HandOver) -> CompanyPeopleAnswer:
    """Make a person the owner of the company. The owner before becomes a manager; sessions of both end.

    The id and the first API key of the affiliate or the advertiser stay.
    """
    check_may_give_access(request.caller)
    if not isinstance(request.caller, StaffCaller):
        confirm_session(request, params.password)
    place: PlaceInScope = request.subject
    companies.hand_over(request.deps, place.company, place.id)
    found = companies.list_people(request.deps, place.company)
    return CompanyPeopleAnswer(people=[_view(each, request.deps.zone) for each in found])


@routes.delete("/people/{id}", _PEOPLE, id="people.remove", credentials=True, find=_find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> RemovedPersonAnswer:
    """Take a person out of the company. Sessions and keys of the person there end at once."""
    place: PlaceInScope = request.subject
    companies.remove_person(request.deps, place.company, place.id)
    return RemovedPersonAnswer(id=place.id)


@routes.post(
    "/people/{id}/second_factor/reset",
    for_staff(Permission.COMPANY),
    id="people.second_factor.reset",
    credentials=True,
    find=_find,
)
def reset_factor(request: ApiRequest[Deps], _params: NoParams) -> Answer:
    """Remove the second factor of a person that lost its device and its recovery codes."""
    check_may_give_access(request.caller)
    place: PlaceInScope = request.subject
    reset(request.deps, place.signer, request.caller)
    return Answer()


@routes.post(
    "/people/{id}/look-as",
    for_staff(Permission.COMPANY),
    id="people.look_as",
    credentials=True,
    find=_find,
    not_replayable=True,
)
def look_as(request: ApiRequest[Deps], _params: NoParams) -> PersonLookAnswer:
    """Record that the caller looks at the portal as a person of the company sees it, for 30 minutes.

    The audit log records who looked. The console then shows the portal, in which nothing can be changed.
    """
    place: PlaceInScope = request.subject
    ends_at = begin_person_look(request.deps, place.id)
    shown = datetime_text(ends_at, request.deps.zone)
    return PersonLookAnswer(id=place.id, company=place.company.name, ends_at=shown)


@routes.get("/auth/companies", _OF_COMPANIES, id="auth.companies.list")
def list_own(request: ApiRequest[Deps], _params: NoParams) -> OwnCompaniesAnswer:
    """List the companies that the caller may act for."""
    found = companies.list_companies(request.deps, request.caller)
    return OwnCompaniesAnswer(companies=[_own_view(request, each) for each in found])


@routes.post("/auth/company", _OF_COMPANIES, id="auth.company.switch", not_replayable=True)
def switch(request: ApiRequest[Deps], params: SwitchCompany) -> OwnCompanyAnswer:
    """Let the calling session act for another company of the same person. Its key stays."""
    found = companies.switch_company(request.deps, request.caller, _account(params.company))
    return OwnCompanyAnswer(company=_own_view(request, found, current=True))


def _company(request: ApiRequest[Deps], name: str | None) -> Account:
    """Return the company of a request. Raises BadInput, and NotFound for one that the caller does not see."""
    if not isinstance(request.caller, StaffCaller):
        own = request.caller.company
        if name is not None and _account(name) != own:
            raise BadInput({"company": [f"You act for {own.name} now."]})
        return own
    if name is None:
        raise BadInput({"company": ["Send the affiliate or the advertiser, such as affiliate:7."]})
    company = _account(name)
    check_company(request.deps, request.caller, company)
    return company


def _account(name: str) -> Account:
    kind, _, number = name.strip().lower().partition(":")
    is_number = number.isascii() and number.isdecimal() and len(number) < 10
    if not ((kind == AccountKind.ADVERTISER and is_hex24(number)) or (kind == AccountKind.AFFILIATE and is_number)):
        raise BadInput({"company": ["This is not a company. Send affiliate: or advertiser: and its id."]})
    return Account(AccountKind(kind), str(int(number)) if kind == AccountKind.AFFILIATE else number)


def _shown(request: ApiRequest[Deps], place: PlaceInScope) -> CompanyPersonView:
    return _view(companies.find_person(request.deps, place.company, place.id), request.deps.zone)


def _view(person: CompanyPerson, zone: ZoneInfo) -> CompanyPersonView:
    return view_of(
        CompanyPersonView,
        person,
        last_login_at=text_or_none(person.last_login_at, zone),
        created_at=datetime_text(person.created_at, zone),
    )


def _own_view(request: ApiRequest[Deps], found: CompanyOfPerson, *, current: bool | None = None) -> OwnCompanyView:
    is_current = found.account == request.caller.account if current is None else current
    return OwnCompanyView(company=found.company.name, title=found.title, role=found.role, current=is_current)

"""A request for a page, by a person who signed in or not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.base.errors import Unauthorized
from trackyard.base.texts.languages import ENGLISH, NAMES
from trackyard.base.zones import find_zone
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Html
from trackyard.console.frame.methods import Needs, methods_of
from trackyard.console.frame.navigation import SeenFindings
from trackyard.domain.people.callers import HOMES, Account, AccountKind, Caller
from trackyard.domain.people.preferences import Preferences
from trackyard.domain.platform.network import Network
from trackyard.wire.local_calls import LocalCalls
from trackyard.wire.request.brackets import File

Audience = Literal["staff", "affiliate", "advertiser", "person", "anyone"]
"""Who may open a page. person: everybody who signed in."""

_AUDIENCES: Final[Mapping[AccountKind, Audience]] = {
    AccountKind.STAFF: "staff",
    AccountKind.AFFILIATE: "affiliate",
    AccountKind.ADVERTISER: "advertiser",
}


@dataclass(frozen=True, slots=True)
class Contact:
    """The manager of an affiliate, as the affiliate sees it."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in. name: what pages call the person. manager: of an affiliate, None without one.

    used: paths of the portal that the affiliate has things on.
    needs_terms: whether an affiliate has terms of the network to accept.
    preferences: what the person chose for their own pages.
    company_title: the name of the company of which the person is a member; "" for everybody else.
    """

    caller: Caller
    name: str
    email: str
    manager: Contact | None = None
    needs_terms: bool = False
    used: frozenset[str] = frozenset()
    preferences: Preferences = field(default_factory=Preferences)
    company_title: str = ""

    @property
    def is_staff(self) -> bool:
        """Return whether the person is a staff user."""
        return self.audience == "staff"

    @property
    def audience(self) -> Audience:
        """Return the kind of people that the person belongs to."""
        return _AUDIENCES[self.caller.company.kind]

    @property
    def home(self) -> str:
        """Return the path of the person's first page."""
        return HOMES[self.caller.company.kind]


@dataclass(frozen=True, slots=True)
class Look:
    """A staff user who looks at the portal of an affiliate or of an advertiser.

    company: the portal has its pages. account: the person, which is the company for its owner, or a member.
    ends_at: UTC milliseconds.
    """

    company: Account
    account: Account
    ends_at: int

    @property
    def back(self) -> str:
        """Return the path of the page that staff have of the company."""
        kind = "affiliates" if self.company.kind is AccountKind.AFFILIATE else "advertisers"
        return f"/console/{kind}/{self.company.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """One request for a page.

    address: the path and query of the request.
    path: the values of the path's variables.
    form: the fields of a sent form, in order. files: its files, closed at the end of the request.
    client, user_agent: the person's IP address and browser.
    session_key: the key of the browser's session, "" without one.
    sealed_look: the browser's encrypted text about a look at a portal.
    look: the look at a portal that this request belongs to.
    network: the network's name, logo and colours.
    browser_language: the code of the language chosen in the browser, or of the browser's own language.
    has_page: whether a page has this path.
    needs_of: returns the methods of the API that a page needs, by path and audience; None where no page has them.
    seen_findings: the findings of the checks when a page last read them.
    """

    deps: Deps
    address: PageAddress
    path: Mapping[str, str] = field(default_factory=dict)
    form: tuple[Pair, ...] = ()
    files: tuple[tuple[str, File], ...] = ()
    client: str = ""
    user_agent: str = ""
    session_key: str = ""
    sealed_look: str = ""
    look: Look | None = None
    network: Network = field(default_factory=Network)
    browser_language: str = ""
    has_page: Callable[[str], bool] = lambda _path: False
    person_or_none: Person | None = None
    calls_or_none: LocalCalls[Deps] | None = None
    needs_of: Callable[[str, Audience], Needs | None] = lambda _path, _audience: None
    seen_findings: SeenFindings = field(default_factory=SeenFindings)

    @property
    def person(self) -> Person:
        """Return who is signed in. Raises Unauthorized on pages for anyone."""
        if self.person_or_none is None:
            raise Unauthorized
        return self.person_or_none

    @property
    def language(self) -> str:
        """Return the code of the page's language, from the URL, the person or the browser."""
        person = self.person_or_none
        own = person.preferences.language if person is not None else ""
        return self.named_language or own or self.browser_language or ENGLISH

    @property
    def zone(self) -> ZoneInfo:
        """Return the time zone of the page: the parameter `tz`, else the person's zone, else the platform's."""
        person = self.person_or_none
        own = find_zone(person.preferences.timezone) if person is not None else None
        return self._zone_of_address or own or self.deps.zone

    @property
    def day_zone(self) -> ZoneInfo:
        """Return the zone of days: `tz` of the URL, or the platform's."""
        return self._zone_of_address or self.deps.zone

    def time_of(self, text: str | None, source: ZoneInfo | None = None, *, seconds: bool = False) -> str:
        """Return a time of an answer in the zone of the person, to the minute; "" for None.

        source: the zone of the answer, not the platform's. Templates have the filter `moment`.
        """
        return shown.moment(text or "", source or self.deps.zone, self.zone)[: 19 if seconds else 16]

    @property
    def _zone_of_address(self) -> ZoneInfo | None:
        return find_zone(self.address.get("tz"))

    @property
    def calls(self) -> LocalCalls[Deps]:
        """Return the methods of the API for the person; a stranger gets the methods for anyone."""
        if self.calls_or_none is None:
            raise Unauthorized
        return self.calls_or_none

    @property
    def key(self) -> str:
        """Return the variable `id` of the path. Raises KeyError on a page without it."""
        return self.path["id"]

    @property
    def zone_pairs(self) -> tuple[Pair, ...]:
        """Return the zone of the address, which links to other pages of the same days carry along."""
        return (("tz", self._zone_of_address.key),) if self._zone_of_address else ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warnings of the answers that the page has read so far."""
        return () if self.calls_or_none is None else tuple(self.calls_or_none.warnings)

    @property
    def named_language(self) -> str:
        """Return the code of the language in the address, "" without one."""
        named = self.address.get("lang")
        return named if named in NAMES else ""

    def may_open(self, path: str) -> bool:
        """Return whether there is a page at a path that the person may open."""
        needs = self.needs_of(path, self.person.audience)
        return needs is not None and self.may_use(needs)

    def may_use(self, needs: Needs) -> bool:
        """Return whether the person may call the methods that a page needs."""
        return all(any(map(self.calls.may, methods_of(each))) for each in needs)

    def field(self, name: str) -> str:
        """Return the first value of a field of the form, "" when it was not sent."""
        return next((value for key, value in self.form if key == name), "")

    def page(self, template: str, status: int = 200, **values: object) -> Html:
        """Return a page with these values."""
        return Html(template, values, status)

"""A person at a browser without scripts: follows links, sends forms, keeps cookies."""

from functools import partial
from html.parser import HTMLParser
from typing import Any, Final

from sqlalchemy import text

from tests.support.api import PASSWORD as AFFILIATE_PASSWORD
from tests.support.api import UNBOUNDED, Api
from tests.support.transport import AppClient
from trackyard.actions.people.callers import find_caller
from trackyard.actions.people.staff import set_password
from trackyard.api.app import build
from trackyard.api.texts import texts
from trackyard.base.ids import new_api_key
from trackyard.base.secrets import hash_password
from trackyard.console.app import Console
from trackyard.domain.people.roles import Role
from trackyard.store.people import advertisers
from trackyard.wire.http.rate_limits import ApiLimits

PASSWORD: Final = "a long enough password"
_NO_PAGE: Final = "/console/nothing"
"""Its answer has the frame, with the token of forms, and asks for no figures."""


class PageReader(HTMLParser):
    """What a page has: its words, links, and the fields of its forms."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.source = content
        self.words: list[str] = []
        self.links: list[str] = []
        self.fields: dict[str, str] = {}
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        given = {name: value or "" for name, value in attrs}
        self.elements.append((tag, given))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "input" and "name" in given:
            self.fields[given["name"]] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        """Keep words."""
        if data.strip():
            self.words.append(" ".join(data.split()))

    @property
    def text(self) -> str:
        """The words of the page."""
        return " ".join(self.words)


class Visitor:
    """A person who looks at pages. Redirects are not followed. login: of the person, "" for a stranger."""

    def __init__(self, app: Any, base: str = "http://console.example", address: str = "testclient") -> None:
        self.login = ""
        self.client = AppClient(app, base, address)

    def get(self, path: str, **options: Any) -> Any:
        """Ask for a page."""
        return self.client.get(path, **options)

    def read(self, path: str, status: int = 200) -> PageReader:
        """Return what a page has, which must answer with this status."""
        answer = self.get(path)
        assert answer.status_code == status, (answer.status_code, answer.text[:2000])
        return PageReader(answer.text)

    def post(self, path: str, headers: dict[str, str] | None = None, **fields: Any) -> Any:
        """Send a form as the pages of the session do."""
        token = fields.pop("form_token", None)
        if token is None:
            token = PageReader(self.get(_NO_PAGE).text).fields.get("form_token", "")
        return self.client.post(path, data={"form_token": token, **fields}, headers=headers)

    def sign_in(self, login: str, password: str = PASSWORD, **fields: Any) -> Any:
        """Send the form of the sign-in page."""
        return self.client.post("/sign-in", data={"login": login, "password": password, **fields})


def console_app(api: Api, grace_s: float = 60.0, limits: ApiLimits = UNBOUNDED) -> Any:
    """The API of an installation with its pages, which wait for their reports."""
    authenticate = partial(find_caller, api.deps.database, api.clock, policy=api.deps.sessions)
    console = Console(api.deps, authenticate, reports=100, texts=texts(), grace_s=grace_s)
    return build(api.deps, limits=limits, site=console)


def staff_visitor(api: Api, *roles: Role, app: Any = None) -> Visitor:
    """A staff user with roles (administrator by default), signed in."""
    staff_id, _ = api.add_staff(*(roles or (Role.ADMIN,)))
    email = api.admin.get(f"/3.0/admin/user/{staff_id}")["user"]["email"]
    set_password(api.deps, staff_id, PASSWORD)
    visitor = Visitor(app or console_app(api))
    visitor.login = email
    assert visitor.sign_in(email).status_code == 303
    return visitor


def affiliate_visitor(api: Api, **params: Any) -> tuple[int, Visitor]:
    """An affiliate's id, and the affiliate signed in. params: of its record."""
    email = params.pop("email", f"{new_api_key()}@affiliate.example")
    pid, _ = api.add_affiliate(email=email, **params)
    visitor = Visitor(console_app(api))
    visitor.login = email
    assert visitor.sign_in(email, AFFILIATE_PASSWORD).status_code == 303
    return pid, visitor


def advertiser_visitor(api: Api, app: Any = None, **params: Any) -> tuple[str, Visitor]:
    """An advertiser's id, and the advertiser signed in. params: of its record."""
    email = params.pop("email", f"{new_api_key()}@advertiser.example")
    number = api.add_advertiser(email=email, **params)
    with api.deps.database.write() as conn:
        advertisers.edit_advertiser(conn, number, {"password_hash": hash_password(PASSWORD)})
    visitor = Visitor(app or console_app(api))
    visitor.login = email
    assert visitor.sign_in(email).status_code == 303
    return number, visitor


def store_address(api: Api, url: str) -> None:
    """Store the URL of every postback, as one that was saved before private addresses were refused."""
    with api.deps.database.write() as conn:
        conn.execute(text("UPDATE affiliate_postback SET url = :url"), {"url": url})

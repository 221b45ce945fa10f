"""Pictures of the console and the portal, taken from `trackyard demo` (script/screenshots)."""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from tests.support.browser import BrowserTab, browser_tab
from tests.support.mail_pictures import take_mails
from trackyard.commands.demo import DemoSize, fill
from trackyard.commands.demo.server import own_server
from trackyard.commands.local_api import ApiClient
from trackyard.console.frame.pages import PageTable
from trackyard.console.parts import PARTS

PICTURES_FOLDER: Final = Path(__file__).parents[2] / "docs" / "pictures"
MOST_BYTES: Final = 150_000
WIDTH: Final = 1280
_SIZES: Final = (360, WIDTH, 2560)
_DEMO: Final = DemoSize(visits=8_000, seconds=5, seed=1)
_PASSWORD: Final = "a long enough password"  # nosec B105 # of a demonstration that is removed at the end


INTER: Final = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include>/etc/fonts/fonts.conf</include>
<match><test name="family"><string>sans-serif</string></test>
<edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match>
<match><test name="family"><string>system-ui</string></test>
<edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match></fontconfig>"""
"""Pictures have the font of the design, where the machine has it: Debian's package fonts-inter."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture of the documents.

    path: of the page, with names of `_examples` in braces; person: "staff" or "affiliate".
    """

    name: str
    person: str
    path: str
    height: int = 800


PICTURES: Final = (
    Picture("overview", "staff", "/console/?from={first}&to={last}"),
    Picture("reports", "staff", "/console/reports?by=offer&by=country&from={first}&to={last}"),
    Picture("offer", "staff", "/console/offers/{offer}?affiliate={affiliate}&from={first}&to={last}", 680),
    Picture("conversion", "staff", "/console/conversions/{conversion}", 640),
    Picture("why", "staff", "/console/clicks/{click}", 740),
    Picture("portal", "affiliate", "/portal/"),
)


@dataclass(frozen=True, slots=True)
class DemoPeople:
    """The people who look at a demonstration.

    logins: e-mail addresses by person. examples: ids and days by their names.
    """

    url: str
    logins: dict[str, str]
    examples: dict[str, str]

    def sign_in(self, tab: BrowserTab, person: str) -> None:
        """Sign a person in."""
        tab.swap_cookies()
        tab.open(f"{self.url}/sign-in")
        tab.fill("login", self.logins[person])
        tab.fill("password", _PASSWORD)
        with tab.leaving():
            tab.press("Enter")


def people_of(api: ApiClient) -> DemoPeople:
    """Give the administrator and an affiliate of a demonstration a password; return how they sign in."""
    admin = api.get("/3.1/admin/users", {"q": "admin@localhost"})["users"][0]
    api.post(f"/3.1/admin/user/{admin['id']}", {"first_name": "Ada", "last_name": "Operator"})
    api.post(f"/3.1/admin/user/{admin['id']}/password", {"password": _PASSWORD})
    partner = api.get("/3.1/admin/partners", {"q": "Harbour Media"})["partners"][0]
    api.post(f"/3.1/admin/partner/{partner['id']}", {"password": _PASSWORD})
    return DemoPeople(api.url, {"staff": admin["email"], "affiliate": partner["email"]}, _examples(api, partner["id"]))


def _examples(api: ApiClient, affiliate: int) -> dict[str, str]:
    """Return ids of things that have something to show."""
    offers = {each["title"]: each["id"] for each in api.get("/3.1/offers", {"limit": 50})["offers"]}
    bank = next(number for title, number in offers.items() if "gold card" in title)
    last = datetime.now(UTC).date() - timedelta(days=1)  # the chart of a day that is not over falls
    fortnight = {"first": str(last - timedelta(days=13)), "last": str(last)}
    days = {"date_from": fortnight["first"], "date_to": fortnight["last"], "limit": 1, "offer[]": bank}
    rejected = api.get("/3.1/stats/clicks", days | {"reason[]": "mistargeting-country"})["clicks"][0]
    paid = api.get("/3.1/stats/conversions", days | {"partner[]": affiliate, "status[]": 1})["conversions"][0]
    return fortnight | {
        "offer": str(bank),
        "affiliate": str(affiliate),
        "conversion": paid["id"],
        "click": rejected["id"],
    }


@contextmanager
def demonstration(out: Any = sys.stderr) -> Iterator[DemoPeople]:
    """A demonstration on a server of its own."""
    with tempfile.TemporaryDirectory() as directory, own_server(Path(directory) / "data") as server:
        server.wait_until_ready()
        access = fill(server.config, _DEMO, out, stays=True).access
        assert access is not None
        yield people_of(ApiClient(access.url, access.key))


def take(tab: BrowserTab, people: DemoPeople, folder: Path) -> None:
    """Take the pictures of the documents.

    Raises AssertionError where a page is not what its picture shows.
    """
    for person in people.logins:
        tab.resize(WIDTH, 800)
        people.sign_in(tab, person)
        for picture in (each for each in PICTURES if each.person == person):
            tab.resize(WIDTH, picture.height)
            address = picture.path.format(**people.examples)
            tab.open(people.url + address)
            fault = tab.run(
                f"location.pathname !== {urlsplit(address).path!r} ? `led to ${{location.pathname}}` :"
                "document.querySelector('[role=alert]') ? document.querySelector('[role=alert]').textContent :"
                "document.querySelector('main table, main svg, main dl') ? '' : 'shows no figures'"
            )
            assert not fault, f"{address}: {fault}"
            (folder / f"{picture.name}.png").write_bytes(tab.screenshot())


def take_all(tab: BrowserTab, people: DemoPeople, folder: Path) -> None:
    """Take each page that links lead to, in every size, light and dark."""
    table = PageTable(PARTS)
    for person, start in (("staff", "/console/"), ("affiliate", "/portal/")):
        tab.resize(WIDTH, 800)
        people.sign_in(tab, person)
        waiting, seen = [start], {start}
        while waiting:
            address = waiting.pop(0)
            tab.open(people.url + address)
            for width in _SIZES:
                for dark in (False, True):
                    tab.resize(width, 900, dark=dark)
                    name = f"{_route(table, address).strip('/').replace('/', '-')}-{width}{'-dark' if dark else ''}.png"
                    (folder / name).write_bytes(tab.screenshot(whole=True))
            for link in tab.run("[...document.links].map(each => each.getAttribute('href'))"):
                route = _route(table, link)
                if route and not route.endswith("/file") and route not in seen:
                    seen.add(route)
                    waiting.append(link.partition("#")[0])


def _route(table: PageTable, address: str) -> str:
    path = urlsplit(address).path
    return next((each.path for each in table.routes if each.method == "GET" and each.pattern.match(path)), "")


def main() -> None:
    """Write docs/pictures, or every page into a folder."""
    parser = argparse.ArgumentParser(prog="script/screenshots")
    parser.add_argument("--all", type=Path, metavar="DIR")
    options = parser.parse_args()
    folder: Path = options.all or PICTURES_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with demonstration() as people, tempfile.TemporaryDirectory() as home, browser_tab(Path(home), INTER) as tab:
        (take_all if options.all else take)(tab, people, folder)
        if not options.all:
            take_mails(tab, folder)


if __name__ == "__main__":
    main()

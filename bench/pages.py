"""`script/bench pages`: how long pages of the console and of the portal take, and how large they are.

Runs `trackyard demo` on a data directory of its own, signs an administrator and an affiliate in, and asks for each page
that links lead to from the first page, one address a page: milliseconds of the first request (cold) and the median of
the next ones (hot), and bytes. A page with a variable in its path is the first one that a list links to. Keys:
console_pages and portal_pages are the numbers of pages of each person; a person who has fewer pages than `_LEAST`, or a
page that is not a 200, ends the measurement.

`--clicks N` measures main pages over N synthetic clicks of 90 days (`--days`) instead (bench/pages_large.py):
milliseconds until the frame and until the end, and the memory that the console adds to the process. `--directory` keeps
the data.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from http.client import HTTPConnection
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from bench.common import data_directory, options_of, print_figures
from trackyard.commands.demo import DemoSize, fill
from trackyard.commands.demo.server import own_server
from trackyard.commands.local_api import ApiClient, administrator_client
from trackyard.commands.users import find_user, set_password
from trackyard.console.frame.pages import PageTable
from trackyard.console.parts import PARTS
from trackyard.domain.people.staff import FIRST_ADMINISTRATOR

_HOT: Final = 7
_LEAST: Final = {"/console/": 95, "/portal/": 25}
"""The fewest pages that a person reaches from the first page: a figure must not vanish silently."""
_CHOOSE: Final = "/sign-in/choose"
_TABLE: Final = PageTable(PARTS)


class _Links(HTMLParser):
    """The addresses that a page leads to, and the assets that it loads."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.assets: list[str] = []
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an address."""
        given = dict(attrs)
        address = given.get("href") or given.get("src") or ""
        if address.startswith("/"):
            (self.links if tag == "a" else self.assets).append(address.partition("#")[0])


class _Browser:
    """A person that is signed in, on one connection. It keeps cookies and follows no redirects.

    home: the person's first page, to which the sign-in leads. Raises RuntimeError when it does not.
    """

    def __init__(self, port: int, login: str, password: str, home: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._cookies: dict[str, str] = {}
        self._led_to = ""
        self.ask("POST", "/sign-in", {"login": login, "password": password})
        self._expect(home)
        if self.ask("GET", home)[0] == 303:
            self._expect(_CHOOSE)
            self._choose_password(password)
            self._expect(home)

    def _expect(self, page: str) -> None:
        if self._led_to != page:
            raise RuntimeError(f"a person is led to {self._led_to or 'no page'}, not to {page}")

    def _choose_password(self, given: str) -> None:
        """Replace the password that others gave."""
        _, body = self.ask("GET", _CHOOSE)
        token = re.search(rb'name="form_token" value="([^"]+)"', body)
        if token is None:
            raise RuntimeError(f"{_CHOOSE} has no form")
        chosen = token_urlsafe()
        self.ask(
            "POST",
            _CHOOSE,
            {"form_token": token[1].decode(), "password": given, "new_password": chosen, "again": chosen},
        )

    def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[int, bytes]:
        """Return the status and the body of an answer."""
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        body = None
        if form is not None:
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
            body = urlencode(form).encode()
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                cookie, _, content = value.partition(";")[0].partition("=")
                self._cookies[cookie] = content
        self._led_to = answer.getheader("Location") or ""
        return answer.status, answer.read()


def _route_of(address: str) -> str:
    """Return the path of the page of an address as it is declared; "" for what is not a page."""
    path = urlsplit(address).path
    found = (each.path for each in _TABLE.routes if each.method == "GET" and each.pattern.match(path))
    return "" if path.endswith("/file") else next(found, "")


def _measured(browser: _Browser, start: str) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield each page that links lead to, by its declared path, with its figures."""
    waiting, seen = [start], {_route_of(start)}
    while waiting:
        address = waiting.pop(0)
        times: list[float] = []
        status, body = 0, b""
        for _ in range(1 + _HOT):
            begun = time.perf_counter()
            status, body = browser.ask("GET", address)
            times.append((time.perf_counter() - begun) * 1000)
        if status != 200 and (address == start or status >= 400):
            raise RuntimeError(f"{address} answers {status}")
        if status != 200:  # it leads to a page that has a link of its own
            continue
        found = _Links(body.decode())
        yield (
            _route_of(address),
            {"cold_ms": round(times[0], 1), "p50_ms": round(statistics.median(times[1:]), 1), "bytes": len(body)},
        )
        for link in found.links:
            route = _route_of(link)
            if route and route not in seen:
                seen.add(route)
                waiting.append(link)


def _asset_bytes(browser: _Browser) -> int:
    """Return the bytes of styles and scripts, which a browser loads once."""
    _, body = browser.ask("GET", "/console/")
    return sum(len(browser.ask("GET", asset)[1]) for asset in set(_Links(body.decode()).assets))


def _affiliate(api: ApiClient) -> tuple[str, str]:
    """Return the e-mail address of an affiliate and a new password of it."""
    partners: list[dict[str, Any]] = api.get("/3.1/admin/partners", {"limit": 1})["partners"]
    made = api.post(f"/3.1/admin/partner/password/{partners[0]['id']}", {})
    return str(partners[0]["email"]), str(made["password"])


def main() -> None:
    """Print the figures of all pages."""
    visits = {"type": int, "default": 8000, "help": "visits of the demonstration"}
    clicks = {"type": int, "default": 0, "help": "synthetic clicks instead of the demonstration"}
    days = {"type": int, "default": 90, "help": "days of the synthetic clicks"}
    directory = {"type": Path, "help": "where the data of --clicks is, and stays"}
    options = options_of("pages", __doc__, visits=visits, clicks=clicks, days=days, directory=directory)
    figures = _over(options) if options.clicks else _of_demonstration(options)
    for figure in ("p50_ms", "cold_ms", "bytes", "frame_ms"):
        found = [value for key, value in figures.items() if key.endswith(f"_{figure}")]
        figures |= {f"most_{figure}": max(found)} if found else {}
    print_figures(figures, options)


def _over(options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures over synthetic clicks, of a process without anything of the console before."""
    with data_directory(options.directory) as kept:
        command = [sys.executable, "-m", "bench.pages_large", str(kept), str(options.clicks), str(options.days)]
        made = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    figures: dict[str, Any] = json.loads(made.stdout.splitlines()[-1])
    return figures


def _of_demonstration(options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of each page of a demonstration."""
    figures: dict[str, Any] = {}
    with own_server(None) as server, open(os.devnull, "w") as nowhere:
        server.wait_until_ready()
        fill(server.config, DemoSize(options.visits, 2, 1), nowhere if options.json else sys.stderr, stays=True)
        api, port = administrator_client(server.config), server.config.api_listen.port
        password = set_password(api, find_user(api, FIRST_ADMINISTRATOR)["id"], None)
        people = {"/console/": (FIRST_ADMINISTRATOR, password), "/portal/": _affiliate(api)}
        for start, (login, secret) in people.items():
            browser = _Browser(port, login, secret, start)  # the server closes a connection that waits for long
            pages = dict(_measured(browser, start))
            if len(pages) < _LEAST[start]:
                raise RuntimeError(f"{start} leads to {len(pages)} pages, and to {_LEAST[start]} at least before")
            figures[f"{start.strip('/')}_pages"] = len(pages)
            for route, found in pages.items():
                name = re.sub(r"[^a-z0-9]+", "_", route).strip("_")
                figures |= {f"{name}_{figure}": value for figure, value in found.items()}
        figures["assets_bytes"] = _asset_bytes(_Browser(port, FIRST_ADMINISTRATOR, password, "/console/"))
    return figures


if __name__ == "__main__":
    main()

"""The links of the rail, which lead to the pages that the person may open."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from trackyard.api.platform.status import FindingView
from trackyard.base.texts.marks import lazy_gettext

FRESH_S: Final = 15.0
"""Age up to which the findings that a page read are shown by the next one: they ask databases and hosts."""
_OLD_S: Final = 600.0
"""Age from which the rail has no number of findings."""


@dataclass(slots=True)
class SeenFindings:
    """What the checks found when a page last read it. It is used from several threads.

    Only the overview and Health read it; the other pages show its numbers in the rail.
    clock: in seconds.
    """

    clock: Callable[[], float] = time.monotonic
    _read: dict[str, tuple[float, list[FindingView]]] = field(default_factory=dict)

    def read(self, language: str, ask: Callable[[], list[FindingView]]) -> list[FindingView]:
        """Return the findings, which are asked for unless they were read moments ago.

        language: of their sentences.
        """
        last = self._read.get(language)
        if last is None or self.clock() - last[0] > FRESH_S:
            return self.keep(language, ask())
        return last[1]

    def keep(self, language: str, found: list[FindingView]) -> list[FindingView]:
        """Keep findings that were read just now, and return them."""
        self._read[language] = self.clock(), found
        return found

    def known(self) -> list[FindingView]:
        """Return the findings that were read last; none when that is long ago."""
        at, found = max(list(self._read.values()), key=lambda each: each[0], default=(0.0, []))
        return found if self.clock() - at < _OLD_S else []


@dataclass(frozen=True, slots=True)
class RailLink:
    """A link of the rail. It is shown where a page has this path and the person may open it."""

    title: str
    path: str


@dataclass(frozen=True, slots=True)
class RailNumber:
    """A number in the rail. text: what it counts. is_bad: whether it counts failures."""

    number: int
    text: str
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class RailGroup:
    """Links under a heading; "" = none. folded: whether they are shown on request."""

    title: str
    links: tuple[RailLink, ...]
    folded: bool = False


STAFF: Final = (
    RailGroup(
        "", (RailLink(lazy_gettext("Overview"), "/console/"), RailLink(lazy_gettext("Reports"), "/console/reports"))
    ),
    RailGroup(
        lazy_gettext("Traffic"),
        (
            RailLink(lazy_gettext("Conversions"), "/console/conversions"),
            RailLink(lazy_gettext("Clicks"), "/console/clicks"),
            RailLink(lazy_gettext("Postbacks"), "/console/postbacks"),
            RailLink(lazy_gettext("Rules"), "/console/rules"),
            RailLink(lazy_gettext("Alerts"), "/console/alerts"),
        ),
    ),
    RailGroup(
        lazy_gettext("Programs"),
        (
            RailLink(lazy_gettext("Offers"), "/console/offers"),
            RailLink(lazy_gettext("SmartLinks"), "/console/smartlinks"),
            RailLink(lazy_gettext("Promo codes"), "/console/promo-codes"),
            RailLink(lazy_gettext("Product feeds"), "/console/product-feeds"),
            RailLink(lazy_gettext("Requests"), "/console/requests"),
            RailLink(lazy_gettext("Tracking domains"), "/console/domains"),
        ),
    ),
    RailGroup(
        lazy_gettext("People"),
        (
            RailLink(lazy_gettext("Affiliates"), "/console/affiliates"),
            RailLink(lazy_gettext("Advertisers"), "/console/advertisers"),
            RailLink(lazy_gettext("Staff"), "/console/staff"),
            RailLink(lazy_gettext("Write to affiliates"), "/console/messages"),
            RailLink(lazy_gettext("Messages"), "/console/threads"),
        ),
    ),
    RailGroup(
        lazy_gettext("Money"),
        (
            RailLink(lazy_gettext("Payments"), "/console/payments"),
            RailLink(lazy_gettext("Invoices"), "/console/invoices"),
            RailLink(lazy_gettext("Balances"), "/console/balances"),
            RailLink(lazy_gettext("Ad costs"), "/console/ad-costs"),
        ),
    ),
    RailGroup(
        lazy_gettext("System"),
        (
            RailLink(lazy_gettext("Health"), "/console/health"),
            RailLink(lazy_gettext("Settings"), "/console/settings"),
            RailLink(lazy_gettext("Audit log"), "/console/audit-log"),
        ),
    ),
)
"""The rail of staff users."""
PORTAL: Final = (
    RailGroup(
        "",
        (
            RailLink(lazy_gettext("Home"), "/portal/"),
            RailLink(lazy_gettext("Offers"), "/portal/offers"),
            RailLink(lazy_gettext("Reports"), "/portal/reports"),
            RailLink(lazy_gettext("Conversions"), "/portal/conversions"),
            RailLink(lazy_gettext("Payments"), "/portal/payments"),
        ),
    ),
    RailGroup(
        lazy_gettext("More"),
        (
            RailLink(lazy_gettext("Postbacks"), "/portal/postbacks"),
            RailLink(lazy_gettext("SmartLinks"), "/portal/smartlinks"),
            RailLink(lazy_gettext("Referrals"), "/portal/referrals"),
            RailLink(lazy_gettext("News"), "/portal/news"),
            RailLink(lazy_gettext("Messages"), "/portal/threads"),
            RailLink(lazy_gettext("From the network"), "/portal/messages"),
            RailLink(lazy_gettext("Requests"), "/portal/requests"),
            RailLink(lazy_gettext("People with access"), "/portal/people"),
        ),
        folded=True,
    ),
)
"""The rail of affiliates. Pages of the second group move to the first one with their first use."""
ADVERTISER: Final = (
    RailGroup(
        "",
        (
            RailLink(lazy_gettext("Home"), "/advertiser/"),
            RailLink(lazy_gettext("Offers"), "/advertiser/offers"),
            RailLink(lazy_gettext("Conversions"), "/advertiser/conversions"),
            RailLink(lazy_gettext("Statistics"), "/advertiser/statistics"),
            RailLink(lazy_gettext("Invoices"), "/advertiser/invoices"),
            RailLink(lazy_gettext("Postback URLs"), "/advertiser/postbacks"),
            RailLink(lazy_gettext("News"), "/advertiser/news"),
            RailLink(lazy_gettext("Messages"), "/advertiser/threads"),
            RailLink(lazy_gettext("People with access"), "/advertiser/people"),
        ),
    ),
)
"""The rail of advertisers."""


def links_for(groups: tuple[RailGroup, ...], may_open: Callable[[str], bool]) -> list[RailGroup]:
    """Return the links that a person may follow. Groups without one are left out."""
    kept = (replace(group, links=tuple(link for link in group.links if may_open(link.path))) for group in groups)
    return [group for group in kept if group.links]


def with_used(groups: tuple[RailGroup, ...], used: frozenset[str]) -> tuple[RailGroup, ...]:
    """Return the groups with folded links that the person uses at the end of the first one. used: paths."""
    moved = tuple(link for group in groups if group.folded for link in group.links if link.path in used)
    if not moved:
        return groups
    first, *rest = groups
    kept = (replace(group, links=tuple(link for link in group.links if link not in moved)) for group in rest)
    return (replace(first, links=first.links + moved), *kept)


def first_page(groups: tuple[RailGroup, ...], may_open: Callable[[str], bool]) -> str | None:
    """Return the path of the first page that a person may open; None without one."""
    return next((link.path for group in links_for(groups, may_open) for link in group.links), None)


def is_current(link: RailLink, path: str) -> bool:
    """Return whether a link leads to this page or to the list that it belongs to."""
    return path == link.path if link.path.endswith("/") else path == link.path or path.startswith(f"{link.path}/")

"""The links of the rail, which lead to the pages that the person may open."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from trackyard.base.texts.marks import lazy_gettext


@dataclass(frozen=True, slots=True)
class RailLink:
    """A link of the rail. It is shown where a page has this path and the person may open it."""

    title: str
    path: str


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
        ),
    ),
    RailGroup(
        lazy_gettext("Programs"),
        (
            RailLink(lazy_gettext("Offers"), "/console/offers"),
            RailLink(lazy_gettext("SmartLinks"), "/console/smartlinks"),
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
        ),
    ),
    RailGroup(
        lazy_gettext("Money"),
        (
            RailLink(lazy_gettext("Payments"), "/console/payments"),
            RailLink(lazy_gettext("Invoices"), "/console/invoices"),
            RailLink(lazy_gettext("Balances"), "/console/balances"),
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
            RailLink(lazy_gettext("Requests"), "/portal/requests"),
        ),
        folded=True,
    ),
)
"""The rail of affiliates. Pages of the second group move to the first one with their first use."""


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

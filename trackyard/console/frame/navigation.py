"""The links of the rail, which lead to the pages that the person may open."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final


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
    RailGroup("", (RailLink("Overview", "/console/"), RailLink("Reports", "/console/reports"))),
    RailGroup(
        "Traffic",
        (
            RailLink("Conversions", "/console/conversions"),
            RailLink("Clicks", "/console/clicks"),
            RailLink("Postbacks", "/console/postbacks"),
        ),
    ),
    RailGroup(
        "Programs",
        (
            RailLink("Offers", "/console/offers"),
            RailLink("SmartLinks", "/console/smartlinks"),
            RailLink("Requests", "/console/requests"),
            RailLink("Tracking domains", "/console/domains"),
        ),
    ),
    RailGroup(
        "People",
        (
            RailLink("Affiliates", "/console/affiliates"),
            RailLink("Advertisers", "/console/advertisers"),
            RailLink("Staff", "/console/staff"),
        ),
    ),
    RailGroup(
        "Money",
        (
            RailLink("Payments", "/console/payments"),
            RailLink("Invoices", "/console/invoices"),
            RailLink("Balances", "/console/balances"),
        ),
    ),
    RailGroup(
        "System",
        (
            RailLink("Health", "/console/health"),
            RailLink("Settings", "/console/settings"),
            RailLink("Audit log", "/console/audit-log"),
        ),
    ),
)
"""The rail of staff users."""
PORTAL: Final = (
    RailGroup(
        "",
        (
            RailLink("Home", "/portal/"),
            RailLink("Offers", "/portal/offers"),
            RailLink("Reports", "/portal/reports"),
            RailLink("Conversions", "/portal/conversions"),
            RailLink("Payments", "/portal/payments"),
        ),
    ),
    RailGroup(
        "More",
        (
            RailLink("Postbacks", "/portal/postbacks"),
            RailLink("SmartLinks", "/portal/smartlinks"),
            RailLink("Referrals", "/portal/referrals"),
            RailLink("News", "/portal/news"),
            RailLink("Requests", "/portal/requests"),
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

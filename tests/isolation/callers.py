"""The kinds of callers that have things of their own, and what the things of others are to each."""

from dataclasses import dataclass
from typing import Final

from tests.isolation.sides import THINGS
from trackyard.domain.people.roles import Permission, Role, permissions_of


@dataclass(frozen=True)
class CallerKind:
    """A kind of callers.

    name: of its client in a side.
    joint: whether it belongs to the side of one manager of both kinds.
    foreign: kinds of things that are missing for it when they are not its own.
    unseen: things of others; their texts are in no answer to it.
    unseen_own: things of its own side; their texts and charges are in no answer to it.
    """

    name: str
    joint: bool
    foreign: frozenset[str]
    unseen: frozenset[str]
    unseen_own: frozenset[str] = frozenset()


ROLES = {
    "affiliate_manager": [Role.MANAGER_AFFILIATE],
    "sales_manager": [Role.MANAGER_SALES],
    "manager": [Role.MANAGER_AFFILIATE, Role.MANAGER_SALES],
}
"""Kind of staff users to their roles."""

_TRAFFIC: Final = frozenset({"click", "action", "conversion", "attempt", "sub"})
_OF_AFFILIATE: Final = frozenset(
    {"affiliate", "member", "company", "affiliate tag", "affiliate text", "postback", "pixel", "ticket"}
)
_OF_ADVERTISER: Final = frozenset({"advertiser", "advertiser tag", "advertiser text", "invoice"})
_OF_OFFER: Final = frozenset({"offer", "offer hash", "offer tag", "offer text", "promo code"})
_MONEY: Final = frozenset({"payment", "payment correction", "payment request"})
_OWN: Final = frozenset({"session", "key", "saved report", "comparison", "message", "thread"})
_ALL: Final = frozenset(THINGS)
_READABLE: Final = frozenset({"offer"})
"""Managers read all offers (docs/spec/callers.md#roles-of-staff)."""

KINDS: Final = (
    CallerKind(
        name="affiliate",
        joint=False,
        foreign=_TRAFFIC | _OF_AFFILIATE | _OF_ADVERTISER | _OF_OFFER | _MONEY | _OWN | {"staff"},
        unseen=_ALL,
        unseen_own=frozenset({"advertiser", "invoice"}),
    ),
    CallerKind(
        name="affiliate_member",
        joint=False,
        foreign=_TRAFFIC | _OF_AFFILIATE | _OF_ADVERTISER | _OF_OFFER | _MONEY | _OWN | {"staff"},
        unseen=_ALL,
        unseen_own=frozenset({"advertiser", "invoice"}),
    ),
    CallerKind(
        name="advertiser",
        joint=False,
        foreign=_TRAFFIC | _OF_AFFILIATE | _OF_ADVERTISER | _OF_OFFER | _MONEY | _OWN | {"staff"},
        unseen=_ALL,
        unseen_own=frozenset({"affiliate", "postback", "pixel", "ticket", "payment", "staff"}),
    ),
    CallerKind(
        name="affiliate_manager",
        joint=False,
        foreign=_TRAFFIC | _OF_AFFILIATE | _MONEY | _OWN,
        unseen=_ALL - _READABLE,
    ),
    CallerKind(
        name="sales_manager",
        joint=False,
        foreign=_TRAFFIC | _OF_ADVERTISER | _OWN,
        unseen=_ALL - _READABLE,
    ),
    CallerKind(
        name="manager",
        joint=True,
        foreign=_TRAFFIC | _OF_AFFILIATE | _OF_ADVERTISER | _MONEY | _OWN,
        unseen=_ALL - _READABLE,
    ),
)

OUTSIDERS: Final = frozenset({"affiliate", "affiliate_member", "advertiser"})
"""The kinds that do not work for the network."""
FOREIGN_BY_PERMISSION: Final[dict[tuple[str, Permission], frozenset[str]]] = {
    ("sales_manager", Permission.OFFERS_WRITE): _OF_OFFER,
    ("manager", Permission.OFFERS_WRITE): _OF_OFFER,
    ("sales_manager", Permission.INVOICES_WRITE): _OF_OFFER,
    ("manager", Permission.INVOICES_WRITE): _OF_OFFER,
    ("sales_manager", Permission.CONVERSIONS_WRITE): _OF_OFFER,
    ("manager", Permission.CONVERSIONS_WRITE): _OF_OFFER,
}
"""More that is missing for a kind of callers in methods of a permission."""


def foreign_kinds(kind: CallerKind, permission: Permission) -> frozenset[str]:
    """The kinds of things that are missing for callers of a kind, in methods of a permission."""
    if kind.name in ROLES and permission is Permission.OFFERS_READ:
        return frozenset()
    given = kind.foreign
    if kind.joint:  # a permission of one of its roles holds for what this role manages
        given = frozenset().union(
            *(
                each.foreign
                for each in KINDS
                if each.name in ROLES and not each.joint and permission in permissions_of(ROLES[each.name])
            )
        )
    return given | FOREIGN_BY_PERMISSION.get((kind.name, permission), frozenset())

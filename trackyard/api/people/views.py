"""Views of people inside other records."""

from collections.abc import Iterable
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.people.advertiser_side.account import OwnAdvertiser
from trackyard.actions.people.assignments import LONGEST_NOTES
from trackyard.actions.people.credentials import check_own_password
from trackyard.actions.people.security_log import record_key_read
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text
from trackyard.domain.offers.lists import OfferName
from trackyard.domain.people.affiliates import AffiliateName
from trackyard.domain.people.callers import AccountKind, Caller, may_give_access
from trackyard.domain.people.key_limits import may_write
from trackyard.domain.people.passwords import MIN_CHOSEN
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.staff import Staff
from trackyard.domain.statistics.switches import REVENUE_CHOICES, ROWS_CHOICES
from trackyard.wire.endpoint import ApiRequest
from trackyard.wire.request import scalars as s
from trackyard.wire.response.envelope import View
from trackyard.wire.response.views import V, view_of

ChosenPassword = Annotated[str, s.BoundedText(minimum=MIN_CHOSEN, maximum=1000)]
"""A password that its owner chooses."""

AddedNote = Annotated[str, s.BoundedText(maximum=LONGEST_NOTES)]
"""A note that is put on top of a record's notes."""

RevenueSwitch = Annotated[str, s.Choice(REVENUE_CHOICES)]
RowsSwitch = Annotated[str, s.Choice(ROWS_CHOICES)]
"""Compatibility switches of statistics, which people override (docs/compatibility.md)."""


class ManagerView(View):
    """A staff user inside another record, without its key (docs/api/staff.md#get-adminuserid)."""

    id: str
    first_name: str
    last_name: str
    email: str
    skype: str
    work_hours: str
    roles: list[str]
    api_key: None
    created_at: str
    updated_at: str


class PartnerView(View):
    """An affiliate in a row of statistics."""

    id: int
    email: str
    login: str
    name: str


class AdvertiserRef(View):
    """An advertiser in a row of statistics."""

    id: str
    title: str


class OfferRef(View):
    """An offer in a row of statistics."""

    id: int
    offer_id: str
    title: str


def offer_ref(view: type[V], name: OfferName | None) -> V | None:
    """Return a view of an offer's id and title; None when the offer does not exist any more."""
    return None if name is None else view_of(view, name, offer_id=name.hash)


def country_to_store(request: ApiRequest[Any], sent: str, stored: str | None) -> str:
    """Return the country code that a write stores.

    A stored value that is not a country code may be sent again. Raises BadInput for any other invalid value.
    """
    try:
        return s.CountryCode().read(sent, {})
    except ValueError as fault:
        if sent != stored:
            raise BadInput({"country": [str(fault)]}) from None
    request.warn(f"{sent} is not a country code of ISO 3166-1; the stored value was kept.")
    return sent


def manager_view(user: Staff, zone: ZoneInfo) -> ManagerView:
    """Return the view of a manager."""
    times = {name: datetime_text(getattr(user, name), zone) for name in ("created_at", "updated_at")}
    return view_of(ManagerView, user, api_key=None, **times)


def partner_view(affiliate_id: int, names: dict[int, AffiliateName]) -> PartnerView:
    """Return the view of an affiliate by its id; only the id when the affiliate was removed."""
    name = names.get(affiliate_id)
    if name is None:
        return PartnerView(id=affiliate_id, email="", login="", name="")
    return view_of(PartnerView, name)


def shown_key(request: ApiRequest[Any], key: str | None) -> str | None:
    """Return a lasting key for a caller with a first key; None in a session and for a key with limits."""
    return None if request.session or request.caller.key is not None else key


def shown_key_of_other(request: ApiRequest[Any], key: str | None) -> str | None:
    """Return the lasting key of another account as `shown_key`; None for staff with levels."""
    return shown_key(request, key) if may_give_access(request.caller) else None


def confirm_session(request: ApiRequest[Deps], password: str) -> None:
    """Check the password of a session's account.

    A session of hours must not become a way in that lasts.
    Raises BadInput for a missing or wrong one, and TooManyRequests.
    """
    if not request.session:
        return
    if not password:
        raise BadInput({"password": ["This value is required in a session."]})
    check_own_password(request.deps, request.caller.signer, password, request.address)


def log_key_reads(request: ApiRequest[Deps], kind: AccountKind, ids: Iterable[str | int]) -> None:
    """Log that the caller reads the keys of others, unless it sees none (`shown_key_of_other`)."""
    if not request.session and request.caller.key is None and may_give_access(request.caller):
        record_key_read(request.deps, request.caller.account, kind, ids)


def own_code(caller: Caller, found: OwnAdvertiser, of_offer: str | None = None) -> str:
    """Return the code of the postbacks of the calling advertiser, "" without one.

    *** is the platform's code, and any code for callers that may not see codes.
    of_offer: the code of an offer, which replaces it.
    """
    code = of_offer or found.advertiser.hash_password or ("***" if found.needs_platform_code else "")
    return hidden_code(code, shown=sees_codes(caller)) or ""


def sees_codes(caller: Caller) -> bool:
    """Return whether a caller of a company sees its codes: the role and the key may write postbacks."""
    is_writer = caller.member is None or Permission.POSTBACKS_WRITE in caller.member.role.rule.writes
    return is_writer and may_write(caller.key, Permission.POSTBACKS_WRITE)


def hidden_code(code: str | None, *, shown: bool) -> str | None:
    """Return a code of inbound postbacks, or *** for people who may not write its owner; unset ones stay."""
    return code if shown or not code else "***"

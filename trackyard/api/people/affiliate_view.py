"""Affiliates as staff see them (docs/api/affiliates.md#get-adminpartnerid)."""

from collections.abc import Mapping
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from trackyard.actions.deps import Deps
from trackyard.actions.people.affiliates import AffiliateRecord
from trackyard.api.people.account_fields import with_affiliate_fields
from trackyard.api.people.views import ManagerView, manager_view, shown_key_of_other
from trackyard.api.subaccounts import AffiliateSubAccountView, affiliate_sub_accounts_view
from trackyard.base.zones import datetime_text
from trackyard.domain.money.ledger import Balance
from trackyard.domain.people.affiliates import Affiliate
from trackyard.wire.endpoint import ApiRequest
from trackyard.wire.response.envelope import Money, View, number
from trackyard.wire.response.guards import BALANCES, Guard
from trackyard.wire.response.views import view_of


class AffiliateSystemView(View):
    """A payment system of an affiliate. id, system: of the payment system. fields: by the id of the field."""

    id: int
    active: int
    system: str
    currency: str
    fields: dict[str, str]


class CustomFieldView(View):
    """The answer of an affiliate to a custom field. label: the value for people."""

    id: int
    name: str
    value: str
    label: str


class CurrencyBalance(View):
    """The balance in one currency."""

    balance: Money
    hold: Money
    available: Money


@with_affiliate_fields
class AffiliateView(
    View, rename={"contact_person": "contactPerson", "custom_fields": "customFields", "offers": "offersCount"}
):
    """An affiliate, for staff.

    balance: by currency; empty in a list that was not asked for balances, and for staff who may not read balances.
    ref: "0" for none.
    statistics_revenue, statistics_rows: the compatibility switches that it overrides, "" is the platform's; absent
    inside another record.
    status_reason: why it is not active or banned; absent inside another record.
    email_state: not asked, waiting or confirmed; absent inside another record.
    """

    guarded: ClassVar[Mapping[str, Guard]] = {"balance": BALANCES}

    id: int
    created_at: str
    updated_at: str
    email: str
    login: str
    contact_person: str | None
    ref_percent: str | None
    name: str | None
    company: str | None
    notes: str
    manager: ManagerView | None
    status: str
    level: int
    payment_systems: list[AffiliateSystemView]
    custom_fields: list[CustomFieldView]
    balance: dict[str, CurrencyBalance]
    offers: int
    api_key: str | None
    tags: list[str]
    address_1: str | None
    address_2: str | None
    city: str | None
    country: str | None
    zip_code: str | None
    phone: str | None
    ref: str
    server_clicks: bool
    server_ip: list[str]
    sub_accounts: dict[str, AffiliateSubAccountView]
    statistics_revenue: str | UnsetType = UNSET
    statistics_rows: str | UnsetType = UNSET
    email_state: str | UnsetType = UNSET
    status_reason: str | UnsetType = UNSET


def affiliate_view(request: ApiRequest[Deps], record: AffiliateRecord) -> AffiliateView:
    """Return an affiliate as staff see it, with its key for callers that see keys of others."""
    key = shown_key_of_other(request, record.api_key)
    return replace(nested_affiliate_view(record, request.deps.zone), api_key=key, **_own_fields(record.affiliate))


def nested_affiliate_view(record: AffiliateRecord, zone: ZoneInfo) -> AffiliateView:
    """Return an affiliate inside another record, without what only its editors see."""
    row = record.affiliate
    return view_of(
        AffiliateView,
        row,
        created_at=datetime_text(row.created_at, zone),
        updated_at=datetime_text(row.updated_at, zone),
        ref_percent=None if row.ref_percent is None else f"{number(row.ref_percent):f}",
        manager=None if record.manager is None else manager_view(record.manager, zone),
        payment_systems=[affiliate_system_view(item, record.systems) for item in row.payment_systems],
        custom_fields=[view_of(CustomFieldView, answer, label=answer.value) for answer in record.custom_field_values],
        balance={item.currency: _balance(item) for item in record.balance},
        offers=record.offers,
        api_key=None,
        ref=str(row.ref or 0),
        sub_accounts=affiliate_sub_accounts_view(row.sub_accounts),
        statistics_revenue=UNSET,
        statistics_rows=UNSET,
        email_state=UNSET,
        status_reason=UNSET,
    )


def _own_fields(row: Affiliate) -> dict[str, str]:
    switches = {"statistics_revenue": row.statistics_revenue or "", "statistics_rows": row.statistics_rows or ""}
    return {**switches, "email_state": row.email_state, "status_reason": row.status_reason}


def _balance(item: Balance) -> CurrencyBalance:
    return CurrencyBalance(
        balance=number(item.hold + item.available), hold=number(item.hold), available=number(item.available)
    )


def affiliate_system_view(item: Mapping[str, Any], systems: Mapping[int, str]) -> AffiliateSystemView:
    """Return the view of a payment system of an affiliate. systems: the name of each system by id."""
    name = systems.get(item["system_id"], "")
    return AffiliateSystemView(
        id=item["system_id"], active=1, system=name, currency=item["currency"], fields=item["fields"]
    )

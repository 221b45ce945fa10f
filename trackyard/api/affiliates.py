"""Affiliates (spec: Admin: affiliates, users, conversions, reference lists)."""

from decimal import Decimal
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import Field

from trackyard.actions.affiliates import AffiliateRecord, NewAffiliate, add_affiliate, get_balances
from trackyard.actions.deps import Deps
from trackyard.api.people import ManagerView, manager_view
from trackyard.api.subaccounts import AffiliateSubAccountView, affiliate_sub_accounts_view
from trackyard.base.zones import datetime_text
from trackyard.domain.roles import Permission
from trackyard.store.ledger import Balance
from trackyard.wire import scalars as s
from trackyard.wire.endpoint import Call, Endpoint
from trackyard.wire.envelope import Answer, Money, View, number
from trackyard.wire.params import Keyed, Needed, Only, Params, Seq

Status = Annotated[str, s.Choice(("not active", "active", "banned", "on moderation"))]


class PaymentSystemItem(Params):
    """Where an affiliate wants to be paid; `fields`: number of the system's field to its value."""

    system_id: s.Id
    currency: s.Text = ""
    fields: Keyed[str, s.Text] = Field(default_factory=dict)


class AddAffiliate(Params):
    """What a new affiliate may have."""

    email: s.Email
    password: Annotated[str, s.Words(least=1, most=1000)]
    login: s.Text | None = None
    ref_percent: s.Amount | None = None
    notes: s.LongText = ""
    status: Status = "active"
    level: Annotated[int, s.NumberText(least=0, most=1000)] = 0
    manager_id: s.Hex | None = None
    payment_systems: Seq[PaymentSystemItem] = ()
    custom_fields: Keyed[str, s.Text] = Field(default_factory=dict)
    ref: s.Id | None = None


class PaymentSystemView(View):
    """A payment system of an affiliate."""

    id: int
    active: int
    system: str
    currency: str
    fields: dict[str, str]


class CustomFieldView(View):
    """A custom field of an affiliate."""

    id: int
    name: str
    value: str
    label: str


class CurrencyBalance(View):
    """The balance in one currency."""

    balance: Money
    hold: Money
    available: Money


class AffiliateView(
    View, rename={"contact_person": "contactPerson", "custom_fields": "customFields", "offers": "offersCount"}
):
    """An affiliate, for staff (spec: Affiliate (partner, admin view))."""

    id: int
    created_at: str
    updated_at: str
    email: str
    login: str
    contact_person: str | None
    ref_percent: str | None
    name: str | None
    notes: str
    manager: ManagerView | None
    status: str
    level: int
    payment_systems: list[PaymentSystemView]
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
    ref: str | None
    sub_accounts: dict[str, AffiliateSubAccountView]


class AffiliateAnswer(Answer):
    """One affiliate."""

    partner: AffiliateView
    id: int


class BalanceParams(Params):
    """Whose balance; affiliates have their own."""

    pid: Annotated[s.Id | None, Only(admin=True), Needed(staff=True)] = None


class BalanceView(View):
    """Three maps by currency code (spec: Affiliate balance)."""

    balance: dict[str, Money]
    hold: dict[str, Money]
    available: dict[str, Money]


class BalanceAnswer(Answer):
    """The balance of one affiliate."""

    balance: BalanceView


def add(call: Call[Deps], params: AddAffiliate) -> AffiliateAnswer:
    """Create an affiliate."""
    values = params.model_dump(exclude={"manager_id", "payment_systems"})
    systems = [item.model_dump() for item in params.payment_systems]
    new = NewAffiliate(**values, manager=params.manager_id, payment_systems=systems)
    record = add_affiliate(call.deps, call.caller, new)
    return AffiliateAnswer(partner=affiliate_view(record, call.deps.zone), id=record.affiliate.id)


def show_balance(call: Call[Deps], params: BalanceParams) -> BalanceAnswer:
    """Show an affiliate's balance, hold and available sums per currency."""
    found = get_balances(call.deps, call.caller, params.pid)
    return BalanceAnswer(
        balance=BalanceView(
            balance={item.currency: number(item.hold + item.available) for item in found},
            hold={item.currency: number(item.hold) for item in found},
            available={item.currency: number(item.available) for item in found},
        )
    )


def affiliate_view(record: AffiliateRecord, zone: ZoneInfo) -> AffiliateView:
    """An affiliate as staff who may edit it see it, with its key."""
    row = record.affiliate
    return AffiliateView(
        id=row.id,
        created_at=datetime_text(row.created_at, zone),
        updated_at=datetime_text(row.updated_at, zone),
        email=row.email,
        login=row.login,
        contact_person=row.contact_person,
        ref_percent=_text(row.ref_percent),
        name=row.name,
        notes=row.notes,
        manager=None if record.manager is None else manager_view(record.manager, zone),
        status=row.status,
        level=row.level,
        payment_systems=[_system(item) for item in row.payment_systems],
        custom_fields=[_custom_field(name, value) for name, value in row.custom_fields.items()],
        balance={item.currency: _balance(item) for item in record.balance},
        offers=record.offers,
        api_key=record.api_key,
        tags=row.tags,
        address_1=row.address_1,
        address_2=row.address_2,
        city=row.city,
        country=row.country,
        zip_code=row.zip_code,
        phone=row.phone,
        ref=None if row.ref is None else str(row.ref),
        sub_accounts=affiliate_sub_accounts_view(row.sub_accounts),
    )


def _text(percent: Decimal | None) -> str | None:
    return None if percent is None else f"{number(percent):f}"


def _balance(item: Balance) -> CurrencyBalance:
    return CurrencyBalance(
        balance=number(item.hold + item.available), hold=number(item.hold), available=number(item.available)
    )


def _system(item: dict[str, Any]) -> PaymentSystemView:
    return PaymentSystemView(
        id=item["system_id"], active=1, system="", currency=item["currency"], fields=item["fields"]
    )


def _custom_field(name: str, value: str) -> CustomFieldView:
    number_ = int(name) if name.isdecimal() and len(name) < 10 else 0
    return CustomFieldView(id=number_, name=name, value=value, label=value)


ENDPOINTS: tuple[Endpoint[Deps], ...] = (
    Endpoint(
        id="admin.partner.add",
        method="POST",
        path="/admin/partner",
        audience="staff",
        permission=Permission.AFFILIATES_WRITE,
        params=AddAffiliate,
        answer=AffiliateAnswer,
        handle=add,
    ),
    Endpoint(
        id="balance.get",
        method="GET",
        path="/balance",
        permission=Permission.BALANCES_READ,
        params=BalanceParams,
        answer=BalanceAnswer,
        handle=show_balance,
    ),
)

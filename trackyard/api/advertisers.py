"""Advertisers (spec: Admin: advertisers and invoices)."""

from typing import Annotated, Any
from zoneinfo import ZoneInfo

from trackyard.actions.advertisers import AdvertiserRecord, NewAdvertiser, add_advertiser
from trackyard.actions.deps import Deps
from trackyard.api.people import ManagerView, manager_view
from trackyard.api.subaccounts import SubAccountParams, SubAccountView, sub_accounts_view
from trackyard.base.zones import datetime_text
from trackyard.domain.roles import Permission
from trackyard.wire import scalars as s
from trackyard.wire.endpoint import Call, Endpoint
from trackyard.wire.envelope import Answer, View
from trackyard.wire.params import Seq

Ip = Annotated[str, s.IpEntry()]


class AddAdvertiser(SubAccountParams):
    """What a new advertiser may have."""

    title: s.Name
    contact: s.Text | None = None
    skype: s.Text | None = None
    manager: s.Hex | None = None
    url: s.Url | None = None
    email: s.Email | None = None
    allowed_ip: Seq[Ip] = ()
    disallowed_ip: Seq[Ip] = ()
    hash_password: s.Text | None = None
    note: s.LongText | None = None
    address_1: s.Text | None = None
    address_2: s.Text | None = None
    city: s.Text | None = None
    country: Annotated[str | None, s.Words(most=2)] = None
    zip_code: Annotated[str | None, s.Words(most=32)] = None
    vat_code: Annotated[str | None, s.Words(most=64)] = None
    consider_personal_targeting_only: s.TrueFalse = False
    tags: Seq[s.Text] = ()


class AdvertiserView(View):
    """An advertiser, for staff (spec: Advertiser)."""

    id: str
    title: str
    contact: str | None
    email: str | None
    url: str | None
    manager: str
    manager_obj: ManagerView | str
    allowed_ip: list[str]
    disallowed_ip: list[str]
    skype: str | None
    note: str | None
    hash_password: str | None
    offers: str
    has_user: bool
    address_1: str | None
    address_2: str | None
    city: str | None
    country: str | None
    zip_code: str | None
    vat_code: str | None
    sub_accounts: dict[str, SubAccountView]
    consider_personal_targeting_only: bool
    tags: list[str]
    created_at: str
    updated_at: str


class AdvertiserAnswer(Answer):
    """One advertiser."""

    advertiser: AdvertiserView


def add(call: Call[Deps], params: AddAdvertiser) -> AdvertiserAnswer:
    """Create an advertiser."""
    sub_account_fields = set(SubAccountParams.model_fields)
    values = params.model_dump(exclude=sub_account_fields)
    lists: dict[str, Any] = {name: list(values.pop(name)) for name in ("allowed_ip", "disallowed_ip", "tags")}
    new = NewAdvertiser(**values, **lists, sub_accounts=params.sub_accounts())
    return AdvertiserAnswer(advertiser=advertiser_view(add_advertiser(call.deps, call.caller, new), call.deps.zone))


def advertiser_view(record: AdvertiserRecord, zone: ZoneInfo) -> AdvertiserView:
    """A new advertiser as staff see it: it has no offers and no user yet."""
    row, manager = record.advertiser, record.manager
    return AdvertiserView(
        id=row.id,
        title=row.title,
        contact=row.contact,
        email=row.email,
        url=row.url,
        manager=row.manager_id or "",
        manager_obj="" if manager is None else manager_view(manager, zone),
        allowed_ip=row.allowed_ip,
        disallowed_ip=row.disallowed_ip,
        skype=row.skype,
        note=row.note,
        hash_password=row.hash_password,
        offers="0",
        has_user=False,
        address_1=row.address_1,
        address_2=row.address_2,
        city=row.city,
        country=row.country,
        zip_code=row.zip_code,
        vat_code=row.vat_code,
        sub_accounts=sub_accounts_view(row.sub_accounts),
        consider_personal_targeting_only=row.consider_personal_targeting_only,
        tags=row.tags,
        created_at=datetime_text(row.created_at, zone),
        updated_at=datetime_text(row.updated_at, zone),
    )


ENDPOINTS: tuple[Endpoint[Deps], ...] = (
    Endpoint(
        id="admin.advertiser.add",
        method="POST",
        path="/admin/advertiser",
        audience="staff",
        permission=Permission.ADVERTISERS_WRITE,
        params=AddAdvertiser,
        answer=AdvertiserAnswer,
        handle=add,
    ),
)

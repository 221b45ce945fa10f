"""An affiliate's own account (docs/api/own-account.md)."""

from typing import TYPE_CHECKING, Annotated, Any

from msgspec import UNSET, UnsetType, defstruct
from pydantic import Field

from trackyard.actions.deps import Deps
from trackyard.actions.people.own_account import (
    OwnAccount,
    OwnPaymentSystems,
    accept_terms,
    get_account,
    get_payment_systems,
    renew_key,
    set_payment_systems,
)
from trackyard.actions.people.sign_up.sign_ups import sign_up
from trackyard.api.money.payment_systems import PaymentSystemView, system_view
from trackyard.api.people.affiliate_view import AffiliateSystemView, affiliate_system_view
from trackyard.api.people.affiliates import ContactParams, PaymentSystemItem
from trackyard.api.people.trees import TreeView, tree_view
from trackyard.api.people.views import ChosenPassword, hidden_code, sees_codes, shown_key
from trackyard.api.statistics.times import text_or_none
from trackyard.api.subaccounts import AffiliateSubAccountView, affiliate_sub_accounts_view
from trackyard.base.errors import Unauthorized
from trackyard.base.strangers import StrangerAct
from trackyard.base.zones import datetime_text
from trackyard.domain.money.currencies import NUMBERS
from trackyard.domain.money.ledger import Balance
from trackyard.domain.people.affiliates import Affiliate, AffiliateStatus
from trackyard.domain.people.callers import AffiliateCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.staff import Staff
from trackyard.wire.endpoint import FOR_ANYONE, ApiRequest, Routes, for_affiliates
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Keyed, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, View, number
from trackyard.wire.response.guards import BALANCES
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()


class SignUp(ContactParams):
    """A new affiliate. ref: the affiliate that refers it.

    custom_fields: values by the field's id or name; values of required fields must be sent.
    accept_terms: 1 where the network has terms.
    """

    email: s.Email
    password: ChosenPassword
    login: s.Login | None = None
    payment_systems: Seq[PaymentSystemItem] = ()
    custom_fields: Keyed[str, s.Text] = Field(default_factory=dict)
    ref: s.Id | None = None
    accept_terms: s.Flag | None = None


class SetPaymentSystems(Params):
    """All payment systems in which the affiliate wants to be paid. password: of its account."""

    password: Annotated[str, s.BoundedText(minimum=1, maximum=1000)]
    payment_systems: Seq[PaymentSystemItem] = ()


class OwnManagerView(View):
    """The manager of an affiliate."""

    name: str
    email: str
    skype: str
    work_hours: str


_SUMS = ("balance", "hold", "available")
_OLD_SUMS = {f"{name}_ru": f"{name}_rub" for name in _SUMS}
"""The names that existing programs read for sums in rubles, to the present ones."""
_UNKNOWN_AS_EMPTY = (
    "contact_person", "manager_id", "address_1", "address_2", "city", "country", "zip_code", "phone",
)  # fmt: skip
"""Fields that strictly typed programs read as texts: "" when unknown."""
_SUM_FIELDS = tuple(f"{name}_{code.lower()}" for code in NUMBERS for name in _SUMS)

if TYPE_CHECKING:
    SumsView = View
else:
    SumsView = defstruct(
        "SumsView",
        [(name, str | UnsetType, UNSET) for name in _SUM_FIELDS],
        bases=(View,),
        namespace={"guarded": dict.fromkeys((*_SUM_FIELDS, *_OLD_SUMS), BALANCES)},
        kw_only=True,
    )
"""Three sums, as text, for each currency in which the affiliate has any."""


class OwnAccountView(SumsView, rename={"need_accept_terms": "needAcceptTerms"}):
    """An affiliate, for itself (docs/api/own-account.md#get-partnerme).

    lang, timezone: the language and zone of texts and times in answers.
    postback_secret: signs requests to it.
    pay_acc: the first field of its first payment system.
    ref: "0" for none. ref_percent, manager_id: "" for none. level: null for none.
    balance_ru, hold_ru, available_ru: the sums in rubles in fields that existing programs read.
    pay_acc_wmz, tipalti_info: existing programs read them; they are always empty, as payment_systems has all accounts.
    needAcceptTerms: whether the network has terms that it has not accepted.
    notes, work_hours: existing programs read them; they are always empty, as notes belong to staff, and only staff
    have working hours.
    """

    partner_id: int
    id: str
    api_key: str | None
    email: str
    login: str
    name: str | None
    company: str | None
    status: str
    lang: str
    timezone: str
    level: str | None
    notes: str
    pay_acc: str
    pay_acc_wmz: str
    tipalti_info: str
    balance_ru: str
    hold_ru: str
    available_ru: str
    contact_person: str
    ref: str
    ref_percent: str
    manager: OwnManagerView | None
    manager_id: str
    address_1: str
    address_2: str
    city: str
    country: str
    zip_code: str
    phone: str
    sub_accounts: dict[str, AffiliateSubAccountView]
    type: str
    work_hours: str
    postback_secret: str
    last_login_at: str
    need_accept_terms: bool
    created_at: str
    updated_at: str
    permissions: TreeView


class OwnAccountAnswer(Answer):
    """The calling affiliate."""

    user: OwnAccountView


class OwnPaymentSystemsAnswer(Answer):
    """How the calling affiliate is paid, and how it may be paid."""

    payment_systems: list[AffiliateSystemView]
    offered: list[PaymentSystemView]


class ApiKeyView(View):
    """A key, for its owner; null in a session."""

    id: str
    api_key: str | None


class ApiKeyAnswer(Answer):
    """A new key."""

    user: ApiKeyView


class SignedUpView(View):
    """A new affiliate. api_key: works once status is active."""

    id: str
    partner_id: int
    email: str
    login: str
    status: str
    api_key: str


class SignedUpAnswer(Answer):
    """A new affiliate, which waits for a decision."""

    user: SignedUpView


@routes.get("/partner/me", for_affiliates(Permission.AFFILIATES_READ), id="partner.me.get")
def show(request: ApiRequest[Deps], _params: NoParams) -> OwnAccountAnswer:
    """Show the calling affiliate's own record with its permissions."""
    return OwnAccountAnswer(user=_view(request, get_account(request.deps, _own_id(request))))


@routes.get("/partner/payment_systems", for_affiliates(Permission.AFFILIATES_READ), id="partner.payment_systems.list")
def list_payment_systems(request: ApiRequest[Deps], _params: NoParams) -> OwnPaymentSystemsAnswer:
    """Show the payment systems of the calling affiliate, and the systems that it may choose."""
    return _systems_answer(get_payment_systems(request.deps, _own_id(request)))


@routes.post(
    "/partner/payment_systems",
    for_affiliates(Permission.AFFILIATES_WRITE),
    id="partner.payment_systems.edit",
    features=("general.settings",),
)
def edit_payment_systems(request: ApiRequest[Deps], params: SetPaymentSystems) -> OwnPaymentSystemsAnswer:
    """Replace the payment systems of the calling affiliate, with its password. Without a list they stay.

    The affiliate gets a mail. A payment that waits for a second person has to be asked for again.
    """
    is_sent = "payment_systems" in params.model_fields_set
    chosen = [item.model_dump() for item in params.payment_systems] if is_sent else None
    if not isinstance(request.caller, AffiliateCaller):
        raise Unauthorized
    found = set_payment_systems(request.deps, request.caller, chosen, params.password, request.address)
    return _systems_answer(found)


@routes.post(
    "/partner/api_key",
    for_affiliates(Permission.AFFILIATES_WRITE),
    id="partner.api_key.renew",
    credentials=True,
    features=("general.settings",),
    also=("/partner/api-key",),
)
def renew(request: ApiRequest[Deps], _params: NoParams) -> ApiKeyAnswer:
    """Give the calling affiliate a new API key. The old one stops at once, and so do its other sessions.

    A session does not see it before `POST /auth/api_key/show`. `/partner/api-key` is the same method.
    """
    own = _own_id(request)
    key = renew_key(request.deps, own, keep=request.session)
    return ApiKeyAnswer(user=ApiKeyView(id=str(own), api_key=shown_key(request, key)))


@routes.post("/partner/terms", for_affiliates(Permission.AFFILIATES_READ), id="partner.terms.accept")
def accept(request: ApiRequest[Deps], _params: NoParams) -> Answer:
    """Accept the present terms of the network (GET /network)."""
    accept_terms(request.deps, _own_id(request))
    return Answer()


@routes.post("/partner", FOR_ANYONE, id="partner.add", not_replayable=True, act=StrangerAct.SIGN_UP)
def add(request: ApiRequest[Deps], params: SignUp) -> SignedUpAnswer:
    """Sign up as an affiliate. It is on moderation, and may call once staff made it active.

    For a taken e-mail address or login the answer looks the same, and a mail explains what is wrong.

    429 after too many from one IP address.
    """
    given = {name: value for name, value in params.written_values().items() if name != "accept_terms"}
    new = Affiliate(**given, status=AffiliateStatus.ON_MODERATION)
    made, key = sign_up(request.deps, new, params.password, request.address, accepts_terms=params.accept_terms is True)
    return SignedUpAnswer(user=view_of(SignedUpView, made, id=str(made.id), partner_id=made.id, api_key=key))


def _view(request: ApiRequest[Deps], account: OwnAccount) -> OwnAccountView:
    row, zone = account.affiliate, request.deps.zone
    return view_of(
        OwnAccountView,
        row,
        **_sums(account.balance),
        **{name: getattr(row, name) or "" for name in _UNKNOWN_AS_EMPTY},
        partner_id=row.id,
        id=str(row.id),
        api_key=shown_key(request, account.api_key),
        postback_secret=hidden_code(row.postback_secret, shown=sees_codes(request.caller)) or "",
        lang="en",
        timezone=zone.key,
        notes="",
        pay_acc=_pay_account(row.payment_systems),
        pay_acc_wmz="",
        tipalti_info="",
        level=str(row.level) if row.level else None,
        ref=str(row.ref or 0),
        ref_percent="" if row.ref_percent is None else f"{number(row.ref_percent):f}",
        manager=None if account.manager is None else _manager(account.manager),
        sub_accounts=affiliate_sub_accounts_view(row.sub_accounts),
        type="affiliate",
        work_hours="",
        last_login_at=text_or_none(row.last_login_at, zone) or "",
        need_accept_terms=account.needs_terms,
        created_at=datetime_text(row.created_at, zone),
        updated_at=datetime_text(row.updated_at, zone),
        permissions=tree_view(account.permissions),
    )


def _systems_answer(found: OwnPaymentSystems) -> OwnPaymentSystemsAnswer:
    names = {system.id: system.lang_label for system in found.offered}
    return OwnPaymentSystemsAnswer(
        payment_systems=[affiliate_system_view(item, names) for item in found.chosen],
        offered=[system_view(system) for system in found.offered],
    )


def _manager(user: Staff) -> OwnManagerView:
    return view_of(OwnManagerView, user, name=f"{user.first_name} {user.last_name}".strip())


def _pay_account(systems: list[dict[str, Any]]) -> str:
    """Return the account of the first payment system; "" without any."""
    answers = systems[0]["fields"] if systems else {}
    return str(answers[min(answers, key=int)]) if answers else ""


def _sums(balances: list[Balance]) -> dict[str, Any]:
    """Return the sums by currency, and the sums in rubles in their old fields, 0 without any."""
    sums = dict.fromkeys(_OLD_SUMS, "0")
    for item in balances:
        values = (item.hold + item.available, item.hold, item.available)
        for name, value in zip(_SUMS, values, strict=True):
            sums[f"{name}_{item.currency.lower()}"] = f"{number(value):f}"
    return sums | {old: sums[name] for old, name in _OLD_SUMS.items() if name in sums}


def _own_id(request: ApiRequest[Deps]) -> int:
    own = request.access.affiliate_id
    if own is None:
        raise Unauthorized
    return own

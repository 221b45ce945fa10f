"""Changes that wait for a second person, for administrators (docs/spec/money.md#second-person)."""

from typing import Annotated, Any
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.money import held_change_decisions as decisions
from trackyard.actions.money import held_changes
from trackyard.actions.money.held_changes import HeldChangeRecords
from trackyard.api.lookups import by_hex
from trackyard.api.paging import Paging
from trackyard.api.people.affiliate_view import AffiliateSystemView, affiliate_system_view
from trackyard.api.statistics.times import text_or_none
from trackyard.base.zones import datetime_text
from trackyard.domain.money.held_changes import (
    PAYMENT_SYSTEMS,
    HeldChange,
    HeldChangeFilter,
    HeldKind,
    HeldState,
)
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.audit import Author
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, NoParams, Params
from trackyard.wire.response.envelope import Answer, Money, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_ADMINISTRATORS = for_staff(Permission.PAYMENTS_CONFIRM)
_find = by_hex(held_changes.get_held_change)


class ListHeldChanges(Paging):
    """The held changes of a list."""

    kind: AnyOf[Annotated[HeldKind, s.Choice(HeldKind)]] = ()
    state: AnyOf[Annotated[HeldState, s.Choice(HeldState)]] = ()
    pid: AnyOf[s.Id] = ()


class ConfirmHeldChange(Params):
    """The password of the administrator that confirms."""

    password: Annotated[str, s.BoundedText(minimum=1, maximum=1000)]


class HeldChangeUserView(View):
    """A staff user; each name is empty when the user does not exist any more."""

    id: str
    email: str
    first_name: str
    last_name: str


class HeldChangeView(View):
    """A change that waits, or waited, for a second person.

    payment_id, amount, currency, comment: the fields of a payment; else null.
    payment_systems: the requested payment systems; for a payment, the payment systems of its affiliate.
    payment_systems_before: null for a payment.
    """

    id: str
    kind: str
    state: str
    pid: int
    payment_id: int | None
    amount: Money | None
    currency: str | None
    comment: str | None
    payment_systems: list[AffiliateSystemView]
    payment_systems_before: list[AffiliateSystemView] | None
    author: HeldChangeUserView
    created_at: str
    decided_by: HeldChangeUserView | None
    decided_at: str | None


class HeldChangesAnswer(Answer):
    """A page of held changes."""

    held_changes: list[HeldChangeView]
    pagination: Pagination


class HeldChangeAnswer(Answer):
    """One held change."""

    held_change: HeldChangeView


@routes.get("/admin/held-changes", _ADMINISTRATORS, id="admin.held-changes.list")
def list_(request: ApiRequest[Deps], params: ListHeldChanges) -> HeldChangesAnswer:
    """List changes that wait for a second person, and changes that waited, the newest first."""
    chosen = HeldChangeFilter(kinds=params.kind, states=params.state, affiliate_ids=params.pid)
    found, total = held_changes.list_held_changes(request.deps, chosen, **params.place(request))
    return HeldChangesAnswer(
        held_changes=_views(found, request.deps.zone), pagination=params.pagination(request, total)
    )


@routes.post("/admin/held-changes/{id}/confirm", _ADMINISTRATORS, id="admin.held-change.confirm", find=_find)
def confirm(request: ApiRequest[Deps], params: ConfirmHeldChange) -> HeldChangeAnswer:
    """Make a change that waits, as another administrator than its author.

    403 `second_person` for the author, also with another key. 409 when the change does not wait, or when what it
    concerns has changed since; in the latter case it stays waiting. Wrong passwords count as failed attempts to sign
    in; 429 after too many.
    """
    found = decisions.confirm_change(request.deps, request.caller, request.subject, params.password, request.address)
    return _answer(found, request.deps.zone)


@routes.post("/admin/held-changes/{id}/refuse", _ADMINISTRATORS, id="admin.held-change.refuse", find=_find)
def refuse(request: ApiRequest[Deps], _params: NoParams) -> HeldChangeAnswer:
    """End the wait of a change without making it. Its author may do so, too.

    409 when the change does not wait.
    """
    return _answer(decisions.refuse_change(request.deps, request.caller, request.subject), request.deps.zone)


def warn_of_held(request: ApiRequest[Any], name: str, change: HeldChange | None) -> None:
    """Add the warning that a change is held and not made.

    name: the name of its parameter.
    change: None when nothing is held.
    """
    if change is not None:
        request.warn(
            f"[{name}] This value is not changed yet: it waits until another administrator confirms the held change "
            f"{change.id}."
        )


def _answer(found: HeldChangeRecords, zone: ZoneInfo) -> HeldChangeAnswer:
    [view] = _views(found, zone)
    return HeldChangeAnswer(held_change=view)


def _views(found: HeldChangeRecords, zone: ZoneInfo) -> list[HeldChangeView]:
    return [_view(change, found, zone) for change in found.changes]


def _view(change: HeldChange, found: HeldChangeRecords, zone: ZoneInfo) -> HeldChangeView:
    def user(staff_id: str) -> HeldChangeUserView:
        return view_of(HeldChangeUserView, found.authors.get((AccountKind.STAFF, staff_id), Author(staff_id)))

    def systems(values: Any) -> list[AffiliateSystemView]:
        return [affiliate_system_view(item, found.systems) for item in values.get(PAYMENT_SYSTEMS, [])]

    is_payment = change.kind is HeldKind.PAYMENT
    return view_of(
        HeldChangeView,
        change,
        pid=change.affiliate_id,
        payment_id=change.subject_id if is_payment else None,
        amount=change.amount,
        currency=change.before.get("currency"),
        comment=change.asked.get("comment"),
        payment_systems=systems(change.before if is_payment else change.asked),
        payment_systems_before=None if is_payment else systems(change.before),
        author=user(change.author_id),
        created_at=datetime_text(change.created_at, zone),
        decided_by=user(change.decided_by) if change.decided_by else None,
        decided_at=text_or_none(change.decided_at, zone),
    )

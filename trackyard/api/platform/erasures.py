"""Personal data erased at a wish, for administrators (docs/retention.md)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.platform import erasures
from trackyard.api.lookups import by_number
from trackyard.base.zones import datetime_text
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.erasures import USER_LENGTH, Erasure, ErasureSubject
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_find = by_number(erasures.get_erasure)


class AddErasure(Params):
    """A click or impression, a user id, or an affiliate with its traffic.

    dry_run: counts what would be emptied, and does nothing.
    """

    subject: Annotated[str, s.Choice(tuple(ErasureSubject))]
    id: Annotated[str, s.BoundedText(minimum=1, maximum=USER_LENGTH)]
    dry_run: s.Flag = False


class ErasureCountsView(View):
    """The records that an erasure covers. clicks, views: the ones with personal data."""

    clicks: int
    views: int
    conversions: int


class ErasureView(View):
    """An erasure. done: whether it is carried out everywhere but in journals, which follow."""

    id: int
    subject: str
    created_at: str
    done: bool


class ErasureAnswer(Answer):
    """An erasure, null in a dry run. named: the counted records, null in a look-up."""

    named: ErasureCountsView | None
    erasure: ErasureView | None


@routes.post("/admin/erasures", for_staff(Permission.SETTINGS_WRITE), id="admin.erasure.add")
def add(request: ApiRequest[Deps], params: AddErasure) -> ErasureAnswer:
    """Empty personal data of a click, a user id, or an affiliate and its visitors.

    It is carried out in all stores within seconds to minutes after the answer and cannot be undone; figures do not
    change. Later records of the same user or affiliate are not erased.
    """
    subject = ErasureSubject(params.subject)
    found = erasures.count_erasable(request.deps, subject, params.id)
    named = view_of(ErasureCountsView, found)
    if params.dry_run:
        return ErasureAnswer(named=named, erasure=None)
    made = erasures.add_erasure(request.deps, request.caller, subject, params.id)
    return ErasureAnswer(named=named, erasure=_view(request, made, done=False))


@routes.get("/admin/erasures/{id}", for_staff(Permission.SETTINGS_WRITE), id="admin.erasure.get", find=_find)
def show(request: ApiRequest[Deps], _params: NoParams) -> ErasureAnswer:
    """Show the progress of an erasure."""
    made, done = request.subject
    return ErasureAnswer(named=None, erasure=_view(request, made, done=done))


def _view(request: ApiRequest[Deps], made: Erasure, *, done: bool) -> ErasureView:
    at = datetime_text(made.at, request.deps.zone)
    return ErasureView(id=made.number, subject=made.subject.value, created_at=at, done=done)

"""Corrections of what affiliates earned (docs/spec/money.md#corrections)."""

from typing import Annotated
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.money import corrections
from trackyard.api.money.held_changes import HeldChangeUserView
from trackyard.api.paging import Paging
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text, day_end_ms, day_start_ms
from trackyard.domain.money.corrections import Correction, CorrectionFilter
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.audit import Author, Authors
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, Params, Seq
from trackyard.wire.response.envelope import Answer, Money, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_STAFF = for_staff(Permission.PAYMENTS_WRITE)


class ListCorrections(Paging):
    """The filters of a list. date_from, date_to: days on which they were entered."""

    pid: Seq[s.Id] = ()
    currency: AnyOf[s.Currency] = ()
    date_from: s.Day | None = None
    date_to: s.Day | None = None

    def chosen(self, zone: ZoneInfo) -> CorrectionFilter:
        """Return the filter. Raises BadInput for days in the wrong order."""
        if self.date_from and self.date_to and self.date_to < self.date_from:
            raise BadInput({"date_to": ["This day must not lie before date_from."]})
        return CorrectionFilter(
            affiliate_ids=self.pid,
            currencies=self.currency,
            since=None if self.date_from is None else day_start_ms(self.date_from, zone),
            until=None if self.date_to is None else day_end_ms(self.date_to, zone),
        )


class AddCorrection(Params):
    """An amount that is added to the available balance of an affiliate; below 0 it is taken away."""

    pid: s.Id
    currency: s.Currency
    amount: s.SignedAmount
    comment: Annotated[str, s.BoundedText(minimum=1, maximum=2000)]


class CorrectionView(View):
    """A correction. author: the staff user who entered it."""

    id: int
    pid: int
    currency: str
    amount: Money
    comment: str
    author: HeldChangeUserView
    created_at: str


class CorrectionsAnswer(Answer):
    """A page of corrections."""

    corrections: list[CorrectionView]
    pagination: Pagination


class CorrectionAnswer(Answer):
    """One correction."""

    correction: CorrectionView


@routes.get("/admin/corrections", _STAFF, id="admin.corrections.list")
def list_(request: ApiRequest[Deps], params: ListCorrections) -> CorrectionsAnswer:
    """List corrections, the newest first."""
    zone = request.deps.zone
    chosen = params.chosen(zone)
    found, authors, total = corrections.list_corrections(request.deps, request.access, chosen, **params.place(request))
    views = [_view(each, authors, zone) for each in found]
    return CorrectionsAnswer(corrections=views, pagination=params.pagination(request, total))


@routes.post("/admin/corrections", _STAFF, id="admin.correction.add")
def add(request: ApiRequest[Deps], params: AddCorrection) -> CorrectionAnswer:
    """Add an amount to the available balance of an affiliate, or take one away.

    The affiliate sees the comment.     A correction stays: another one of the opposite amount undoes it.
    """
    made, authors = corrections.add_correction(
        request.deps, request.access, params.pid, params.currency, params.amount, params.comment
    )
    return CorrectionAnswer(correction=_view(made, authors, request.deps.zone))


def _view(row: Correction, authors: Authors, zone: ZoneInfo) -> CorrectionView:
    author = authors.get((AccountKind.STAFF, row.created_by), Author(row.created_by))
    return view_of(
        CorrectionView,
        row,
        pid=row.affiliate_id,
        author=view_of(HeldChangeUserView, author),
        created_at=datetime_text(row.created_at, zone),
    )

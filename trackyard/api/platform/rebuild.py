"""Rebuilds of the analytic tables, for administrators (docs/architecture.md#the-idea)."""

from decimal import Decimal
from typing import Annotated, Any

from trackyard.actions.deps import Deps
from trackyard.actions.platform.rebuild import Rebuilder
from trackyard.actions.platform.rebuild_status import RebuildMode, RebuildStatus
from trackyard.api.platform.reconciliation import DifferenceView
from trackyard.base.errors import Conflict
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()


class StartRebuild(Params):
    """The use of the new tables.

    wish: check compares only, swap uses them if nothing differs, accept uses them.
    """

    wish: Annotated[str, s.Choice(tuple(RebuildMode))] = RebuildMode.SWAP.value


class TableSumsView(View):
    """Rows of a table, or conversions, and their amounts in the platform currency."""

    rows: int
    charge: Decimal
    payout: Decimal


class TableComparisonView(View):
    """The sums of a live table and of the new one.

    group: of conversions the number of their status, else empty.
    """

    table: str
    group: str
    live: TableSumsView
    made: TableSumsView


class RebuildView(View):
    """A rebuild.

    stage: preparing, doubling (new records are loaded to both), swapping, swapped, kept (ended without a swap), failed.
    step: the current work, `done` of `total`.
    carried: rows that no journal here holds, taken over as they are.
    held: seconds in which nothing was loaded, for the swap.
    why: the reason of a failure.
    checked: compared rows of each kind.
    count: of differences; the first thousand are listed, with the recorded (expected) and the live (found) value.
    """

    number: int
    wish: str
    stage: str
    ended: bool
    step: str
    done: int
    total: int
    seconds: Decimal
    carried: int
    held: Decimal
    why: str
    figures: list[TableComparisonView]
    checked: dict[str, int]
    count: int
    differences: list[DifferenceView]


class RebuildAnswer(Answer):
    """The last rebuild since the server was started; null when there was none."""

    rebuild: RebuildView | None


@routes.post("/admin/rebuild", for_staff(Permission.SETTINGS_WRITE), id="admin.rebuild")
def start(request: ApiRequest[Deps], params: StartRebuild) -> RebuildAnswer:
    """Rebuild clicks, views and conversion events from journals and conversions.

    The new tables are compared with the live ones and then replace them. The rebuild continues after the answer, during
    the traffic; one runs at a time. Rows that no journal of this machine holds are carried over as they are.
    """
    return RebuildAnswer(rebuild=_view(_rebuilder(request), _rebuilder(request).start(RebuildMode(params.wish))))


@routes.get("/admin/rebuild", for_staff(Permission.AUDIT_READ), id="admin.rebuild.show")
def show(request: ApiRequest[Deps], _params: NoParams) -> RebuildAnswer:
    """Show the progress of the last rebuild, and its findings."""
    rebuilder = _rebuilder(request)
    status = rebuilder.find_last()
    return RebuildAnswer(rebuild=None if status is None else _view(rebuilder, status))


def _rebuilder(request: ApiRequest[Deps]) -> Rebuilder:
    if request.deps.rebuilder is None:
        raise Conflict({"rebuild": ["Journals are on other machines: ask the API of one with the role projector."]})
    return request.deps.rebuilder


def _view(rebuilder: Rebuilder, status: RebuildStatus) -> RebuildView:
    return view_of(
        RebuildView,
        status,
        wish=status.wish.value,
        stage=status.stage.value,
        ended=status.ended_at is not None,
        step=status.step.value,
        seconds=Decimal(rebuilder.elapsed_ms(status)).scaleb(-3),
        held=Decimal(status.paused_ms).scaleb(-3),
        figures=[
            TableComparisonView(table=table, group=group, live=_sums(live), made=_sums(made))
            for (table, group), (live, made) in sorted(status.figures.items())
        ],
        checked=dict(status.findings.checked),
        count=status.findings.count,
        differences=[view_of(DifferenceView, item) for item in list(status.findings.differences)],
    )


def _sums(sums: Any) -> TableSumsView:
    return TableSumsView(rows=sums.rows, charge=sums.charge, payout=sums.payout)

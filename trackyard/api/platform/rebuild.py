"""Clicks and facts made again, for administrators (docs/architecture.md#the-idea)."""

from decimal import Decimal
from typing import Annotated

from msgspec.structs import asdict

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
    """What is to come of it: check = to be compared only, swap = to be used if nothing differs, accept = to be used."""

    wish: Annotated[str, s.Choice(tuple(RebuildMode))] = RebuildMode.SWAP.value


class TableSumsView(View):
    """Rows of a table, or conversions, and their amounts in the platform currency."""

    rows: int
    charge: Decimal
    payout: Decimal


class TableComparisonView(View):
    """What a table holds as it is, and made again. group: of conversions the number of their status, else empty."""

    table: str
    group: str
    live: TableSumsView
    made: TableSumsView


class RebuildView(View):
    """A rebuild. stage: preparing, doubling (what is loaded goes to both), swapping, swapped, kept (ended without a
    swap), failed · step: what it does, `done` of `total` · carried: rows that no journal here holds, taken over as
    they are · held: seconds in which nothing was loaded, for the swap · why: it failed · checked: how many rows of each
    kind were compared · count: of differences, the first thousand of which are listed; expected: what is recorded,
    found: what the live table has."""

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
    """Make clicks, views and facts again from journals and conversions, beside the tables that are used, compare both,
    and put the new ones in their place. It goes on after the answer, beside the traffic; one runs at a time. Rows that
    no journal of this machine holds are carried over as they are."""
    return RebuildAnswer(rebuild=_view(_rebuilder(request), _rebuilder(request).start(RebuildMode(params.wish))))


@routes.get("/admin/rebuild", for_staff(Permission.AUDIT_READ), id="admin.rebuild.show")
def show(request: ApiRequest[Deps], _params: NoParams) -> RebuildAnswer:
    """How far the last rebuild is, and what it found."""
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
            TableComparisonView(
                table=table, group=group, live=TableSumsView(**asdict(live)), made=TableSumsView(**asdict(made))
            )
            for (table, group), (live, made) in sorted(status.figures.items())
        ],
        checked=dict(status.findings.checked),
        count=status.findings.count,
        differences=[view_of(DifferenceView, item) for item in list(status.findings.differences)],
    )

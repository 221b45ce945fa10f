"""Values of subs (docs/api/subs.md, docs/spec/statistics.md#values-of-subs)."""

from collections.abc import Iterator
from typing import Annotated, Any

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.cohorts import find_subs
from trackyard.api.every_sub import with_every_sub
from trackyard.api.paging import PagePlace, Paging
from trackyard.domain.people.permissions import slice_features
from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.subs import SUBS
from trackyard.wire.endpoint import ApiRequest, Routes, check_features, for_callers
from trackyard.wire.http.list_files import MOST_ROWS, check_rows
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Seq
from trackyard.wire.response.envelope import Answer, Pagination
from trackyard.wire.response.exports import ExportColumn, ExportTable, FileExport, Row, blocks_of

routes = Routes[Deps]()

Prefix = Annotated[str, s.BoundedText(maximum=2048)]
"""A sub is cut at 2 KB when it comes (docs/spec/tracking.md#bounds)."""


@with_every_sub
class FindSubs(Paging):
    """The prefixes of each sub. A sub takes a list; any of its values matches."""

    sub1: Seq[Prefix] = ()

    def prefixes(self) -> dict[str, tuple[str, ...]]:
        """Return the prefixes of each sub that has one.

        Without any, the first sub that was sent, or sub1, has every value.
        """
        sent = {name: tuple(prefix for prefix in getattr(self, name) if prefix) for name in SUBS}
        held = {name: prefixes for name, prefixes in sent.items() if prefixes}
        if held:
            return held
        return {next((name for name in SUBS if name in self.model_fields_set), SUBS[0]): ("",)}


class SubsAnswer(Answer):
    """A page of combinations: the value of each requested sub under its name."""

    subs: list[dict[str, str]]
    pagination: Pagination


def sub_rows(request: ApiRequest[Deps], params: Any) -> ExportTable:
    """Return the rows of a file: all, or one page of them when `page` or `limit` is sent."""
    prefixes = _chosen(request, params)
    place = params.place(request) if params.is_paged else PagePlace(page=1, limit=MOST_ROWS)
    columns = tuple(map(ExportColumn, prefixes))

    def rows() -> Iterator[Row]:
        found, total = find_subs(request.deps, request.access, prefixes, **place)
        if not params.is_paged:
            check_rows(total)
        yield from ([row[name] for name in prefixes] for row in found)

    return ExportTable(columns, blocks_of(columns, rows()), request.deps.zone)


@routes.get(
    "/stats/find-subs",
    for_callers(Permission.STATS_OTHER),
    id="stats.find-subs",
    report=True,
    file_export=FileExport("subs", (), sub_rows, "A column for each sub.", "stats.stats-export"),
)
def find(request: ApiRequest[Deps], params: FindSubs) -> SubsAnswer:
    """Find values of subs by how they begin.

    The distinct combinations of the subs that are sent, in the caller's clicks of the last 90 days, in ascending
    order. A click without one of these subs has no combination. Without any sub, the values of sub1 are listed.
    """
    prefixes = _chosen(request, params)
    found, total = find_subs(request.deps, request.access, prefixes, **params.place(request))
    return SubsAnswer(subs=found, pagination=params.pagination(request, total))


def _chosen(request: ApiRequest[Deps], params: FindSubs) -> dict[str, tuple[str, ...]]:
    """Return the prefixes of each sub. Raises AccessDenied for a caller that may not see one of the subs."""
    prefixes = params.prefixes()
    for name in sorted(params.model_fields_set.intersection(SUBS) - prefixes.keys()):
        request.warn(f"{name} is empty. It was ignored.")
    check_features(request.caller_or_none, slice_features(prefixes))
    return prefixes

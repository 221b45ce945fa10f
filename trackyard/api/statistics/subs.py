"""Values of subs (docs/api/subs.md, docs/spec/statistics.md#values-of-subs)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.cohorts import find_subs
from trackyard.api.paging import Paging
from trackyard.domain.people.permissions import slice_features
from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.subs import SUBS
from trackyard.wire.endpoint import ApiRequest, Routes, check_features, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Seq
from trackyard.wire.response.envelope import Answer, Pagination

routes = Routes[Deps]()

Prefix = Annotated[str, s.BoundedText(maximum=2048)]
"""A sub is cut at 2 KB when it comes (docs/spec/tracking.md#bounds)."""


class FindSubs(Paging):
    """The prefixes of each sub. A sub takes a list; any of its values matches."""

    sub1: Seq[Prefix] = ()
    sub2: Seq[Prefix] = ()
    sub3: Seq[Prefix] = ()
    sub4: Seq[Prefix] = ()
    sub5: Seq[Prefix] = ()
    sub6: Seq[Prefix] = ()
    sub7: Seq[Prefix] = ()
    sub8: Seq[Prefix] = ()

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


@routes.get("/stats/find-subs", for_callers(Permission.STATS_OTHER), id="stats.find-subs", report=True)
def find(request: ApiRequest[Deps], params: FindSubs) -> SubsAnswer:
    """Find values of subs by how they begin.

    The distinct combinations of the subs that are sent, in the caller's clicks of the last 90 days, in ascending
    order. A click without one of these subs has no combination. Without any sub, the values of sub1 are listed.
    """
    prefixes = params.prefixes()
    for name in sorted(params.model_fields_set.intersection(SUBS) - prefixes.keys()):
        request.warn(f"{name} is empty. It was ignored.")
    check_features(request.caller_or_none, slice_features(prefixes))
    found, total = find_subs(request.deps, request.access, prefixes, **params.place(request))
    return SubsAnswer(subs=found, pagination=params.pagination(request, total))

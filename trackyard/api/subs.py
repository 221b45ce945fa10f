"""Values of subs (spec: GET stats/find-subs)."""

from typing import Annotated, Final

from trackyard.actions.cohorts import find_subs
from trackyard.actions.deps import Deps
from trackyard.api.paging import Paging
from trackyard.domain.permissions import slice_features
from trackyard.domain.roles import Permission
from trackyard.wire import scalars as s
from trackyard.wire.endpoint import Call, Endpoint, check_features
from trackyard.wire.envelope import Answer, Pagination, pagination

_NAMES: Final = ("sub1", "sub2", "sub3", "sub4", "sub5")


Prefix = Annotated[str, s.Words(most=2048)]
"""A sub is cut at 2 KB when it comes (behaviour.md §4)."""


class FindSubs(Paging):
    """Which sub, and what its values begin with: the first that is given decides."""

    sub1: Prefix | None = None
    sub2: Prefix | None = None
    sub3: Prefix | None = None
    sub4: Prefix | None = None
    sub5: Prefix | None = None

    def asked(self) -> tuple[str, str]:
        """The sub and the prefix: the first that holds something, else the first that was sent, else sub1."""
        sent = [(name, getattr(self, name)) for name in _NAMES if name in self.model_fields_set]
        held = [(name, prefix) for name, prefix in sent if prefix]
        return next(iter(held or sent), (_NAMES[0], ""))


class SubsAnswer(Answer):
    """A page of values, each under the name of its sub."""

    subs: list[dict[str, str]]
    pagination: Pagination


def find(call: Call[Deps], params: FindSubs) -> SubsAnswer:
    """Find values of a sub by how they begin.

    The distinct values of the first sub that is given, in the caller's clicks of the last 90 days, in ascending order.
    """
    sub, prefix = params.asked()
    check_features(call.known, slice_features((sub,)))
    limit = params.clamped(call)
    found, total = find_subs(call.deps, call.caller, call.permission, sub, prefix or "", page=params.page, limit=limit)
    return SubsAnswer(
        subs=[{sub: value} for value in found],
        pagination=pagination(page=params.page, per_page=limit, total=total),
    )


ENDPOINTS: tuple[Endpoint[Deps], ...] = (
    Endpoint(
        id="stats.find-subs",
        method="GET",
        path="/stats/find-subs",
        permission=Permission.STATS_OTHER,
        params=FindSubs,
        answer=SubsAnswer,
        handle=find,
        report=True,
    ),
)

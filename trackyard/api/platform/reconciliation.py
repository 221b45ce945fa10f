"""Whether everything adds up, for administrators (docs/architecture.md#the-idea)."""

from trackyard.actions.deps import Deps
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Endpoint
from trackyard.wire.request.params import NoParams
from trackyard.wire.response.envelope import Answer, View


class DifferenceView(View):
    """Something that differs. what: which comparison · key: of what."""

    what: str
    key: str
    expected: str
    found: str


class ReconciliationAnswer(Answer):
    """What was compared (how many of each kind), how many differences there are, and the first thousand of them."""

    checked: dict[str, int]
    count: int
    differences: list[DifferenceView]


def show(request: ApiRequest[Deps], _params: NoParams) -> ReconciliationAnswer:
    """Compare everything with everything: journals with clicks and calls, calls with conversions, conversions with
    statistics and the ledger, payments with what they pay. It takes as long as there is much."""
    found = reconcile(request.deps)
    views = [
        DifferenceView(what=item.what, key=item.key, expected=item.expected, found=item.found)
        for item in found.differences
    ]
    return ReconciliationAnswer(checked=found.checked, count=found.count, differences=views)


ENDPOINTS: tuple[Endpoint[Deps], ...] = (
    Endpoint(
        id="admin.reconciliation",
        method="GET",
        path="/admin/reconciliation",
        audience="staff",
        permission=Permission.AUDIT_READ,
        answer=ReconciliationAnswer,
        report=True,
        handle=show,
    ),
)

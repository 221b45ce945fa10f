"""Reconciliation of all books, for administrators (docs/architecture.md#the-idea)."""

from trackyard.actions.conversions.postback_codes import get_code_warning
from trackyard.actions.deps import Deps
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.reconciliation import NO_JOURNALS
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request.params import NoParams
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()


class DifferenceView(View):
    """A discrepancy. what: the comparison; key: of the thing compared."""

    what: str
    key: str
    expected: str
    found: str


class ReconciliationAnswer(Answer):
    """The numbers of things compared by kind and of discrepancies.

    differences: the first thousand discrepancies.
    not_loaded: the number of records by journal that are not loaded yet and were not compared.
    """

    checked: dict[str, int]
    count: int
    differences: list[DifferenceView]
    not_loaded: dict[str, int]


@routes.get("/admin/reconciliation", for_staff(Permission.AUDIT_READ), id="admin.reconciliation", report=True)
def show(request: ApiRequest[Deps], _params: NoParams) -> ReconciliationAnswer:
    """Compare all books with each other; the time grows with their size.

    Journals with clicks and postbacks, postbacks with conversions, conversions with statistics and the ledger, payments
    with what they pay. A warning lists what is open, such as postbacks that need no code, or journals that are on other
    machines: there `trackyard audit` compares them. Records that are not loaded yet are not a difference: `not_loaded`
    counts them.
    """
    warning = get_code_warning(request.deps)
    if warning is not None:
        request.warn(warning)
    if request.deps.journals is None:
        request.warn(NO_JOURNALS)
    found = reconcile(request.deps)
    views = [view_of(DifferenceView, item) for item in found.differences]
    return ReconciliationAnswer(
        checked=found.checked, count=found.count, differences=views, not_loaded=found.not_loaded
    )

"""Who issues documents, and what new invoices have (docs/spec/documents.md#billing)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.money.billing import edit_billing, get_billing
from trackyard.domain.money.billing import Billing
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, NoParams, Params
from trackyard.wire.response.envelope import Answer, Money, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()

CompanyName = Annotated[str, s.BoundedText(maximum=200, strips=True, pattern=r"[^<>\r\n]*")]
ShortLine = Annotated[str, s.BoundedText(maximum=60, strips=True, pattern=r"[^<>\r\n]*")]
Lines = Annotated[str, s.BoundedText(maximum=2000)]
Series = Annotated[str, s.BoundedText(minimum=1, maximum=30, strips=True, pattern=r"[^\s<>{}]*(\{year\}[^\s<>{}]*)?")]


class EditBilling(Params):
    """Changes of who issues documents; an empty text clears one."""

    legal_name: Annotated[CompanyName | None, Clearable()] = None
    address: Annotated[Lines | None, Clearable()] = None
    tax_number: Annotated[ShortLine | None, Clearable()] = None
    payment_details: Annotated[Lines | None, Clearable()] = None
    invoice_series: Series | None = None
    invoice_next: Annotated[int, s.WholeNumber(minimum=1, maximum=999_999_999)] | None = None
    credit_series: Series | None = None
    due_days: Annotated[int, s.WholeNumber(minimum=0, maximum=365)] | None = None
    tax_name: Annotated[ShortLine | None, Clearable()] = None
    tax_percent: s.Percent | None = None
    notes: Annotated[Lines | None, Clearable()] = None


class BillingView(View):
    """Who issues documents; "" = not set."""

    legal_name: str
    address: str
    tax_number: str
    payment_details: str
    invoice_series: str
    credit_series: str
    due_days: int
    tax_name: str
    tax_percent: Money
    notes: str


class BillingAnswer(Answer):
    """Who issues documents."""

    billing: BillingView


@routes.get("/admin/billing", for_staff(Permission.INVOICES_WRITE), id="admin.billing.get")
def show(request: ApiRequest[Deps], _params: NoParams) -> BillingAnswer:
    """Show who issues documents, and what new invoices have."""
    return _answer(get_billing(request.deps))


@routes.post("/admin/billing", for_staff(Permission.SETTINGS_WRITE), id="admin.billing.edit")
def edit(request: ApiRequest[Deps], params: EditBilling) -> BillingAnswer:
    """Change who issues documents, and what new invoices have. Documents that are issued stay as they are."""
    names = params.model_fields_set - {"invoice_next"}
    given = {name: getattr(params, name) for name in names}
    texts = {name: "" if value is None else value for name, value in given.items()}
    return _answer(edit_billing(request.deps, texts, params.invoice_next))


def _answer(found: Billing) -> BillingAnswer:
    return BillingAnswer(billing=view_of(BillingView, found))

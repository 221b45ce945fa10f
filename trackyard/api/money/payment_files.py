"""Files of payments for banks, and the results that come back (docs/spec/money.md#files-of-payments)."""

from typing import Annotated, Final

from trackyard.actions.deps import Deps
from trackyard.actions.money import payment_files, payment_results
from trackyard.actions.money.payment_files import MadeFile, PaidFrom
from trackyard.actions.money.payment_results import AppliedResults
from trackyard.api.money.held_changes import warn_of_held
from trackyard.base.errors import BadInput
from trackyard.domain.money.file_templates import SHIPPED_TEMPLATES, FileForm, FileTemplate
from trackyard.domain.money.payment_files import PaymentFile
from trackyard.domain.money.payment_results import CheckedResult, ResultLine, ResultStatus
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params, Seq
from trackyard.wire.response.csv_rows import csv_line, without_formula
from trackyard.wire.response.envelope import Answer, Money, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_STAFF: Final = for_staff(Permission.PAYMENTS_WRITE)
MOST_RESULTS: Final = 1000
"""Lines of one file of results."""


class MakePaymentFile(Params):
    """The payments of a file, and its template. debtor_…: the account that a bank takes them from."""

    template: Annotated[str, s.Choice(list(SHIPPED_TEMPLATES))]
    id: Seq[s.Id]
    debtor_name: s.Text = ""
    debtor_iban: s.Text = ""
    debtor_bic: s.Text = ""


class PaymentResultItem(Params):
    """A line of a file of results. line: its number in the file; without it, its place in the list."""

    line: s.Id | None = None
    payment: s.Id
    status: Annotated[ResultStatus, s.Choice(ResultStatus)]
    amount: s.Amount | None = None
    currency: s.Currency | None = None
    reason: s.Text = ""


class ApplyResults(Params):
    """The lines of a file of results. preview: shows what each does, and changes nothing."""

    results: Seq[PaymentResultItem]
    preview: s.Flag = False

    @property
    def lines(self) -> list[ResultLine]:
        """Return the lines. Raises BadInput for too many, or none."""
        if not 1 <= len(self.results) <= MOST_RESULTS:
            raise BadInput({"results": [f"Send 1 to {MOST_RESULTS} lines."]})
        return [
            ResultLine(
                line=each.line or place,
                payment_id=each.payment,
                status=each.status,
                amount=each.amount,
                currency=each.currency or "",
                reason=each.reason,
            )
            for place, each in enumerate(self.results, 1)
        ]


class FileTemplateColumnView(View):
    """A column of a file."""

    heading: str
    value: str


class FileTemplateView(View):
    """A template of files. page: where its columns are published; read_on: the day on which it was read."""

    template: str
    name: str
    form: str
    columns: list[FileTemplateColumnView]
    most: int
    currency: str
    page: str
    read_on: str
    note: str


class FileTemplatesAnswer(Answer):
    """The templates of files of payments."""

    templates: list[FileTemplateView]


class PaymentFileView(View):
    """A file of payments. content: the whole file; it is stored in UTF-8."""

    name: str
    media_type: str
    content: str
    payments: int
    amount: Money
    currency: str


class PaymentFileAnswer(Answer):
    """A file of payments."""

    file: PaymentFileView


class PaymentResultView(View):
    """A line of a file of results. effect: what it does. fault: why it is refused, "" = it is not."""

    line: int
    payment: int
    pid: int | None
    amount: Money | None
    currency: str
    effect: str
    fault: str


class PaymentResultsAnswer(Answer):
    """The lines of a file of results, in its order."""

    results: list[PaymentResultView]


@routes.get("/admin/payments/file-templates", _STAFF, id="admin.payments.file-templates")
def list_templates(request: ApiRequest[Deps], params: NoParams) -> FileTemplatesAnswer:
    """List the templates of files of payments, with their columns."""
    return FileTemplatesAnswer(templates=[_template_view(each) for each in SHIPPED_TEMPLATES.values()])


@routes.get("/admin/payments/file", _STAFF, id="admin.payments.file")
def make(request: ApiRequest[Deps], params: MakePaymentFile) -> PaymentFileAnswer:
    """Make a file of payments for a bank or a payment service: one payment system, one currency.

    It changes nothing. The sum of the file is the sum of the payments.
    """
    paid_from = PaidFrom(name=params.debtor_name, iban=params.debtor_iban, bic=params.debtor_bic)
    made = payment_files.make_file(request.deps, request.access, params.template, params.id, paid_from)
    return PaymentFileAnswer(file=_file_view(made))


@routes.post("/admin/payments/results", _STAFF, id="admin.payments.results")
def apply(request: ApiRequest[Deps], params: ApplyResults) -> PaymentResultsAnswer:
    """Mark payments as paid, and cancel the ones that failed, by the results of a bank.

    All lines in one step: one that is refused stops them all. The same lines change nothing the second time. Where a
    second person has to confirm, payments are held.
    """
    use = payment_results.preview_results if params.preview else payment_results.apply_results
    done: AppliedResults = use(request.deps, request.access, params.lines)
    for held in done.held:
        warn_of_held(request, "results", held)
    return PaymentResultsAnswer(results=[_result_view(each) for each in done.lines])


def _template_view(template: FileTemplate) -> FileTemplateView:
    return view_of(
        FileTemplateView,
        template,
        template=template.key,
        form=template.form.value,
        columns=[view_of(FileTemplateColumnView, each) for each in template.columns],
    )


def _file_view(made: MadeFile) -> PaymentFileView:
    file, form = made.file, made.file.template.form
    ending, media_type = ("csv", "text/csv") if form is FileForm.CSV else ("xml", "application/xml")
    numbers = f"{min(file.numbers)}-{max(file.numbers)}"
    return PaymentFileView(
        name=f"payments-{file.template.key}-{numbers}.{ending}",
        media_type=media_type,
        content=_csv(file) if form is FileForm.CSV else made.content,
        payments=len(file.numbers),
        amount=file.amount,
        currency=file.currency,
    )


def _csv(file: PaymentFile) -> str:
    """Return a file as CSV; what a spreadsheet would calculate gets an apostrophe, as in other files."""
    template = file.template
    lines = [[column.heading for column in template.columns]] if template.has_headings else []
    rows = [*lines, *([without_formula(cell) for cell in row] for row in file.cells)]
    return "".join(csv_line(row, template.separator) for row in rows)


def _result_view(result: CheckedResult) -> PaymentResultView:
    payment = result.payment
    return PaymentResultView(
        line=result.line.line,
        payment=result.line.payment_id,
        pid=None if payment is None else payment.affiliate_id,
        amount=None if payment is None else payment.amount,
        currency="" if payment is None else payment.currency,
        effect=result.effect.value,
        fault=result.fault,
    )

"""The columns of files of results (docs/spec/money.md#files-of-payments)."""

from collections.abc import Mapping, Sequence
from typing import Final

from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.domain.money.payment_results import ResultStatus
from trackyard.domain.platform.tables.forms import FileColumn, TableForm
from trackyard.domain.platform.tables.grids import Cell, Limits
from trackyard.domain.platform.tables.kinds import CellReader, amounts, as_text, currencies, texts, whole_numbers

_WORDS: Final[Mapping[ResultStatus, Sequence[str]]] = {
    ResultStatus.PAID: ("paid", "success", "successful", "succeeded", "completed", "complete", "executed", "accsc"),
    ResultStatus.FAILED: (
        "failed",
        "failure",
        "returned",
        "rejected",
        "refused",
        "refunded",
        "denied",
        "error",
        "rjct",
    ),
}
_STATUS_OF: Final = {word: status for status, words in _WORDS.items() for word in words}


def result_statuses(_: Sequence[Cell]) -> CellReader:
    """Read what became of a payment: words of banks and payment services in any case."""

    def read(cell: Cell) -> str:
        text = as_text(cell)
        found = _STATUS_OF.get(text.strip().casefold())
        if found is None:
            raise ValueError(gettext("%(value)s is neither paid nor failed", value=text[:60]))
        return found.value

    return read


RESULTS: Final = TableForm(
    columns=(
        FileColumn(
            "payment",
            lazy_gettext("Payment number"),
            whole_numbers,
            ("payment_id", "id", "reference", "endtoendid", "customer_id", "unique_id"),
        ),
        FileColumn(
            "status",
            lazy_gettext("Status"),
            result_statuses,
            ("state", "result", "transaction_status", "payout_status"),
        ),
        FileColumn("amount", lazy_gettext("Amount"), amounts, ("sum", "payment_amount")),
        FileColumn("currency", lazy_gettext("Currency"), currencies, ("currency_code",)),
        FileColumn("reason", lazy_gettext("Reason"), texts, ("error", "error_message", "message", "comment")),
    ),
    needed=("payment", "status"),
    limits=Limits(most_bytes=512 * 1024, most_rows=1000),
)

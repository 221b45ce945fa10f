"""The import of results of payments, with a preview (docs/spec/console.md#money)."""

from collections.abc import Mapping, Sequence
from typing import Final

from trackyard.api.money import payment_files
from trackyard.api.money.payment_files import PaymentResultView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.money.payments import PATH
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.imported_files import NOTHING, ImportedFile, SentContent, read_import
from trackyard.domain.money.result_tables import RESULTS
from trackyard.domain.platform.tables.grids import TableFault

pages = Pages()
_NEEDS: Final = (payment_files.apply,)
EFFECTS: Final[Mapping[str, str]] = {
    "pays": lazy_gettext("Paid"),
    "cancels": lazy_gettext("Cancelled, available again"),
    "none": lazy_gettext("Nothing changes"),
    "refused": lazy_gettext("Refused"),
}
_MARKS: Final = {"pays": "confirmed", "cancels": "pending", "none": "suspended", "refused": "declined"}


@pages.get(f"{PATH}/results", needs=_NEEDS)
def ask_for_file(request: PageRequest) -> PageAnswer:
    """Ask for a file."""
    return _page(request)


@pages.post(f"{PATH}/results", needs=_NEEDS)
def import_file(request: PageRequest) -> PageAnswer:
    """Show what each line of a file does, or do it."""
    try:
        file = read_import(request, RESULTS)
    except TableFault as fault:
        return _page(request, SentContent(request.field("text")), fault=str(fault))
    wrong = [f"{gettext('Line %(number)s', number=row.number)}: {' '.join(file.faults_of(row))}" for row in file.rows]
    wrong = [text for text, row in zip(wrong, file.rows, strict=True) if row.faults]
    if file.missing or wrong:
        return _page(request, file.sent, file, fault=file.missing or " ".join(wrong))
    is_preview = request.field("do") != "import"
    sent = [*_lines(file), ("preview", "1" if is_preview else "0")]
    try:
        lines = request.calls.ask(payment_files.apply, sent).results
    except RequestError as refusal:
        return _page(request, file.sent, file, fault=fault_of(refusal))
    if is_preview:
        return _page(request, file.sent, file, lines)
    changed = sum(each.effect in ("pays", "cancels") for each in lines)
    done = ngettext("The result of 1 payment is taken.", "The results of %(num)d payments are taken.", changed)
    return Redirect(PATH, done)


def _lines(file: ImportedFile) -> list[Pair]:
    return [
        (f"results[{place}][{name}]", value)
        for place, row in enumerate(file.rows)
        for name, value in (("line", str(row.number)), *row.sent.items())
        if value
    ]


def _page(
    request: PageRequest,
    sent: SentContent = NOTHING,
    file: ImportedFile | None = None,
    lines: Sequence[PaymentResultView] = (),
    *,
    fault: str = "",
) -> Html:
    changed = [each for each in lines if each.effect in ("pays", "cancels")]
    return request.page(
        "money/payment_results.html",
        400 if fault else 200,
        sent=sent,
        file=file,
        fault=fault,
        lines=lines,
        effects=EFFECTS,
        marks=_MARKS,
        changed=len(changed),
        refused=sum(each.effect == "refused" for each in lines),
        path=f"{PATH}/results",
    )

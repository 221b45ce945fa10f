"""The page that makes a file of the chosen payments for a bank (docs/spec/console.md#money)."""

from collections.abc import Sequence
from typing import Final

from starlette.responses import Response

from trackyard.api.money import payment_files
from trackyard.base.errors import RequestError
from trackyard.console.frame.answers import HEADERS, Download, PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.money.payments import PATH
from trackyard.console.staff.faults import fault_of

pages = Pages()
FILE_NEEDS: Final = (payment_files.list_templates, payment_files.make)
_DEBTOR: Final = ("debtor_name", "debtor_iban", "debtor_bic")


@pages.post(f"{PATH}/file", needs=FILE_NEEDS)
def make(request: PageRequest) -> PageAnswer:
    """Send the file, or the form with the reason why there is none."""
    chosen = list(dict.fromkeys(value for name, value in request.form if name == "payment"))
    given = [(name, value) for name in _DEBTOR if (value := request.field(name).strip())]
    sent = [*(("id[]", each) for each in chosen), ("template", request.field("template")), *given]
    try:
        file = request.calls.ask(payment_files.make, sent).file
    except RequestError as refusal:
        return ask_for_template(request, chosen, fault_of(refusal))
    headers = HEADERS | {"Content-Disposition": " ".join(("attachment;", f"filename={file.name}"))}
    return Download(Response(file.content.encode(), media_type=f"{file.media_type}; charset=utf-8", headers=headers))


def ask_for_template(request: PageRequest, chosen: Sequence[str], fault: str = "") -> PageAnswer:
    """Return the form: the template of the file, and the account that a bank takes the money from."""
    return request.page(
        "money/payments_file.html",
        400 if fault else 200,
        templates=request.calls.ask(payment_files.list_templates).templates,
        chosen=chosen,
        wanted=request.field("template"),
        debtor={name: request.field(name) for name in _DEBTOR},
        fault=fault,
    )

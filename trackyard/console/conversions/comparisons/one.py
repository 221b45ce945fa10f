"""One comparison: its sums, what differs and why, and the edits that accept differences."""

from decimal import Decimal
from typing import Final

from trackyard.api.conversions import comparisons
from trackyard.api.conversions.comparisons import ComparisonAnswer, ComparisonDifference
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.conversions.comparisons.sending import PATH
from trackyard.console.conversions.comparisons.words import (
    ACCEPTED,
    CLASSES,
    SKIPPED,
    STATUSES,
    label_of,
    reason_text,
)
from trackyard.console.frame import shown
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.page import answer_list, declare_list
from trackyard.console.staff.faults import fault_of

pages = Pages()

_ACCEPT: Final = comparisons.accept


@pages.post(f"{PATH}/{{id}}", needs=(comparisons.get, _ACCEPT))
def accept(request: PageRequest) -> PageAnswer:
    """Show the edits that accept differences, or make them."""
    classes = [value for name, value in request.form if name == "classes" and value in ACCEPTED]
    if not classes:
        return _page(request, fault=gettext("Choose what to accept first."))
    is_final = request.field("do") == "apply"
    sent: list[Pair] = [*(("classes[]", each) for each in classes), ("apply", "1" if is_final else "0")]
    try:
        found = request.calls.ask(_ACCEPT, sent, {"id": request.key})
    except RequestError as refusal:
        return _page(request, fault=fault_of(refusal))
    if not is_final:
        return _page(request, preview=_preview(found, classes))
    message = ngettext(
        "%(num)d conversion is being edited. The list shows it in a few seconds.",
        "%(num)d conversions are being edited. The list shows them in a few seconds.",
        found.number,
    )
    return Redirect(f"{PATH}/{request.key}", message)


def _page(request: PageRequest, *, fault: str = "", preview: dict[str, object] | None = None) -> PageAnswer:
    return answer_list(DIFFERENCES, request, fault, 400 if fault else 200, preview=preview)


def _above(request: PageRequest) -> dict[str, object]:
    """Return the comparison, with its sums by class, as the template above its differences shows it."""
    comparison = request.calls.ask(comparisons.get, [("limit", "1")], {"id": request.key}).comparison
    back = f"/console/{comparison.side}s/{comparison.subject_id}/compare"
    return {
        "comparison": comparison,
        "period": f"{comparison.date_from} – {comparison.date_to}",
        "back": back if request.may_open(back) else "",
        "sums": [_sums(each) for each in comparison.sums],
        "accepted": ACCEPTED,
        "may_accept": request.calls.may(_ACCEPT),
        "preview": None,
    }


def _sums(each: comparisons.ComparisonSums) -> dict[str, object]:
    currency = each.currency
    return {
        "currency": currency,
        "classes": [(label_of(CLASSES, part.name), part.number, *_money(part, currency)) for part in each.classes],
        "total": _money(each, currency),
    }


def _money(part: comparisons.ComparisonClass | comparisons.ComparisonSums, currency: str) -> tuple[str, ...]:
    difference = shown.together((part.ours, -part.theirs), currency)
    return shown.money(part.ours, currency), shown.money(part.theirs, currency), difference


def _side(amount: Decimal | None, currency: str, status: str) -> str:
    if amount is None:
        return "—"
    money = shown.money(amount, currency)
    return f"{money}, {label_of(STATUSES, status)}" if status else money


def _preview(found: comparisons.AcceptanceAnswer, classes: list[str]) -> dict[str, object]:
    edits = [
        {
            "id": each.conversion_id,
            "before": _side(each.sum_before, each.currency, each.status_before),
            "after": _side(each.sum_after, each.currency, each.status_after),
        }
        for each in found.edits
    ]
    totals = [
        (each.currency, *(shown.money(amount, each.currency) for amount in (each.before, each.after)))
        for each in found.totals
    ]
    skipped = [(each.conversion_id, label_of(SKIPPED, each.why)) for each in found.skipped]
    return {"number": found.number, "edits": edits, "totals": totals, "skipped": skipped, "classes": classes}


def _id(each: ComparisonDifference, _on: On) -> ListCell:
    if each.conversion_id:
        return ListCell(each.conversion_id, f"/console/conversions/{each.conversion_id}")
    if each.click_id:
        return ListCell(each.click_id, f"/console/find?q={each.click_id}")
    return cells.cell(each.action_id)


def _amount(amount: Decimal | None, currency: str, status: str) -> ListCell:
    return (
        cells.cell("")
        if amount is None
        else cells.money(amount, currency, label_of(STATUSES, status) if status else "")
    )


DIFFERENCES: Final = ListPage[ComparisonDifference, ComparisonAnswer](
    path=f"{PATH}/{{id}}",
    method=comparisons.get,
    view=ComparisonAnswer,
    rows=lambda _, answer: answer.differences,
    variables=lambda request: ((), {"id": request.key}),
    title=lazy_gettext("Comparison"),
    counted=lambda total: ngettext("%(num)d difference.", "%(num)d differences.", total),
    filters=(
        FilterBy(
            name="class",
            parameter="classes",
            label=lazy_gettext("Class"),
            words={name: label for name, label in CLASSES.items() if name != "matched"},
        ),
    ),
    columns=(
        ListColumn(
            title=lazy_gettext("Row"), role="figure", cell=lambda each, _: cells.count(each.row) if each.row else ""
        ),
        ListColumn(title=lazy_gettext("Class"), role="title", cell=lambda each, _: label_of(CLASSES, each.difference)),
        ListColumn(title=lazy_gettext("Why"), longest=300, cell=lambda each, _: reason_text(each.why, each.text)),
        ListColumn(
            title=lazy_gettext("Ours"),
            below=lazy_gettext("Our status"),
            role="figure",
            cell=lambda each, _: _amount(each.our_sum, each.our_currency, each.our_status),
        ),
        ListColumn(
            title=lazy_gettext("Theirs"),
            below=lazy_gettext("Their status"),
            role="figure",
            cell=lambda each, _: _amount(each.their_sum, each.their_currency, each.their_status),
        ),
        ListColumn(title=lazy_gettext("ID"), longest=40, cell=_id),
    ),
    above="conversions/comparisons/above.html",
    values=lambda request, _: _above(request),
    empty=lazy_gettext("Nothing differs."),
)
declare_list(pages, DIFFERENCES)

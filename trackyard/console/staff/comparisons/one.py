"""One comparison: its sums, what differs and why, and the edits that accept differences."""

from decimal import Decimal
from typing import Final

from trackyard.api.conversions import comparisons
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame import shown
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.comparisons.sending import PATH
from trackyard.console.staff.comparisons.words import ACCEPTED, CLASSES, SKIPPED, STATUSES, reason_text, word
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import ListFilter, read_list

pages = Pages()

_NEEDS: Final = (comparisons.get,)
_ACCEPT: Final = comparisons.accept


@pages.get(f"{PATH}/{{id}}", needs=_NEEDS)
def one(request: PageRequest) -> PageAnswer:
    """Show a comparison."""
    return _page(request)


@pages.post(f"{PATH}/{{id}}", needs=(*_NEEDS, _ACCEPT))
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


def _page(request: PageRequest, *, fault: str = "", preview: dict[str, object] | None = None) -> Html:
    filters = (ListFilter("class", gettext("Class"), "classes[]", _choices()),)
    state = read_list(request.address, filters)
    path = {"id": request.key}
    found = request.calls.ask(comparisons.get, state.sent(), path)
    comparison = found.comparison
    back = f"/console/{comparison.side}s/{comparison.subject_id}/compare"
    return request.page(
        "staff/comparisons/one.html",
        400 if fault else 200,
        comparison=comparison,
        period=f"{comparison.date_from} – {comparison.date_to}",
        back=back if request.may_open(back) else "",
        path=f"{PATH}/{comparison.id}",
        sums=[_sums(each) for each in comparison.sums],
        rows=[_row(request, each) for each in found.differences],
        accepted=ACCEPTED,
        may_accept=request.calls.may(_ACCEPT),
        preview=preview,
        fault=fault,
        api_request_path=request.calls.address(comparisons.get, state.sent(), path),
        **state.shown(found.pagination.total_count),
    )


def _choices() -> tuple[tuple[str, str], ...]:
    return tuple((name, word(CLASSES, name)) for name in CLASSES if name != "matched")


def _sums(each: comparisons.ComparisonSums) -> dict[str, object]:
    currency = each.currency
    return {
        "currency": currency,
        "classes": [(word(CLASSES, part.name), part.number, *_money(part, currency)) for part in each.classes],
        "total": _money(each, currency),
    }


def _money(part: comparisons.ComparisonClass | comparisons.ComparisonSums, currency: str) -> tuple[str, ...]:
    difference = shown.together((part.ours, -part.theirs), currency)
    return shown.money(part.ours, currency), shown.money(part.theirs, currency), difference


def _row(request: PageRequest, each: comparisons.ComparisonDifference) -> dict[str, object]:
    key = each.conversion_id or each.click_id or each.action_id
    found = f"/console/conversions/{key}" if each.conversion_id else f"/console/find?q={each.click_id}"
    may = request.may_open("/console/conversions/x" if each.conversion_id else "/console/find")
    return {
        "line": each.row,
        "class": word(CLASSES, each.difference),
        "why": reason_text(each.why, each.text),
        "ours": _side(each.our_sum, each.our_currency, each.our_status),
        "theirs": _side(each.their_sum, each.their_currency, each.their_status),
        "key": key,
        "link": found if may and (each.conversion_id or each.click_id) else "",
    }


def _side(amount: Decimal | None, currency: str, status: str) -> str:
    if amount is None:
        return "—"
    money = shown.money(amount, currency)
    return f"{money}, {word(STATUSES, status)}" if status else money


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
    skipped = [(each.conversion_id, word(SKIPPED, each.why)) for each in found.skipped]
    return {"number": found.number, "edits": edits, "totals": totals, "skipped": skipped, "classes": classes}

"""The form that edits one conversion (docs/spec/console.md#forms)."""

from typing import Final

from trackyard.api.conversions import by_id, edits
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.conversions.listing import PATH, STATUSES
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.traffic.conversions.one import find_conversion

pages = Pages()

_NEEDS: Final = (by_id.get, edits.edit)
_GROUPS: Final = (
    FormGroup(
        lazy_gettext("Conversion"),
        (
            FormField("status", words={**STATUSES, "not_found": lazy_gettext("Declined: not found")}, help=""),
            FormField("currency"),
            FormField(
                "revenue",
                label=lazy_gettext("Charge"),
                help=lazy_gettext("What the advertiser pays, in the currency of the conversion."),
            ),
            FormField(
                "payouts",
                label=lazy_gettext("Payout"),
                help=lazy_gettext("What the affiliate gets, in the currency of the conversion."),
            ),
            FormField(
                "allow_zero",
                label=lazy_gettext("Count it with 0 when no payment matched"),
                help=lazy_gettext("For a declined conversion that is to count without amounts."),
                widget="switch",
            ),
            FormField("comment", wide=True, help=lazy_gettext("A remark, shown with the conversion.")),
        ),
    ),
)
EDIT: Final = FormPlan(edits.edit, _GROUPS)


@pages.get(f"{PATH}/{{id}}/edit", needs=_NEEDS)
@pages.post(f"{PATH}/{{id}}/edit", needs=_NEEDS)
def edit_conversion(request: PageRequest) -> PageAnswer:
    """Edit the status, the amounts and the comment of a conversion."""
    conversion, status = find_conversion(request)
    shown = {
        "status": status,
        "currency": conversion.currency,
        "revenue": conversion.revenue,
        "payouts": conversion.payouts,
        "allow_zero": False,
        "comment": conversion.comment,
    }
    refuses = [] if request.field("allow_zero") else [("allow_zero", "0")]
    form = open_form(request, EDIT, shown, fixed=[("ids[]", conversion.id), *refuses])
    back = f"{PATH}/{conversion.id}"
    if form.save() is not None:
        return Redirect(back, gettext("The conversion is being changed. This page shows it in a few seconds."))
    return form.page(request, gettext("Edit conversion %(id)s", id=conversion.id), back=back)

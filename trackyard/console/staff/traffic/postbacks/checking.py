"""What a postback of an advertiser would do, step by step (docs/spec/console.md#traffic)."""

from collections.abc import Mapping
from typing import Final

from trackyard.api.tracking import postback_check
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.conversions.listing import STATUSES
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import money
from trackyard.console.staff.traffic.clicks.steps import EvidenceLine
from trackyard.console.staff.traffic.postbacks.words import fault_words

pages = Pages()

PATH: Final = "/console/postback-check"
_WAITS: Final = "waiting"
_STATUS_CHOICES: Final = (
    ("", lazy_gettext("none: confirmed")),
    ("1", lazy_gettext("1: confirmed")),
    ("2", lazy_gettext("2: pending")),
    ("3", lazy_gettext("3: declined")),
    ("5", lazy_gettext("5: on hold")),
)
_SENT: Final = (
    ("clickid", lazy_gettext("Click ID")),
    ("goal", lazy_gettext("Goal")),
    ("status", lazy_gettext("Status")),
    ("sum", lazy_gettext("Sum")),
    ("currency", lazy_gettext("Currency")),
    ("action_id", lazy_gettext("Action ID")),
    ("secure", lazy_gettext("Code (secure)")),
    ("promo_code", lazy_gettext("Promo code")),
)
"""The parameters of a postback that have a field, and their names for people."""
PLAN: Final = FormPlan(
    postback_check.check,
    (
        FormGroup(
            lazy_gettext("What the advertiser sends"),
            (
                FormField(
                    "url",
                    label=lazy_gettext("Whole URL"),
                    help=lazy_gettext("As the advertiser calls it; the fields below replace its values."),
                    widget="text",
                    wide=True,
                ),
                *(FormField(f"params[{name}]", label=label, help="", widget="text") for name, label in _SENT),
            ),
        ),
        FormGroup(
            lazy_gettext("Sender and time"),
            (
                FormField("ip", label=lazy_gettext("IP address of the sender"), help=""),
                FormField("time", label=lazy_gettext("Time"), help=lazy_gettext("Without one it comes now.")),
                FormField("referrer", label=lazy_gettext("Page of a pixel"), help="", widget="text", wide=True),
            ),
            folded=True,
        ),
    ),
)
_STEPS: Final[Mapping[str, str]] = {
    "clickid": lazy_gettext("Click ID"),
    "click": lazy_gettext("Click"),
    "offer": lazy_gettext("Offer"),
    "pixel": lazy_gettext("Pixel"),
    "secure": lazy_gettext("Code (secure)"),
    "signature": lazy_gettext("Signature"),
    "address": lazy_gettext("IP address of the sender"),
    "status": lazy_gettext("Status"),
    "sum": lazy_gettext("Sum"),
    "currency": lazy_gettext("Currency"),
    "exists": lazy_gettext("New or known conversion"),
    "affiliate": lazy_gettext("Affiliate"),
    "click session": lazy_gettext("Session length"),
    "minimal click session": lazy_gettext("Shortest time to conversion"),
    "one conversion per click": lazy_gettext("One conversion per click"),
    "ip duplicate": lazy_gettext("Unique IP address"),
    "quality": lazy_gettext("Signals of the click"),
    "payment": lazy_gettext("Payment"),
    "caps": lazy_gettext("Caps"),
    "tiers": lazy_gettext("Commission tiers"),
    "hold": lazy_gettext("Hold"),
    "amounts": lazy_gettext("Amounts"),
}
"""Steps of the decision by their names in the API."""
_TONES: Final = {"passed": "passed", "stopped": "refused", "declined": "refused"}


@pages.get(PATH, needs=(postback_check.check,))
@pages.post(PATH, needs=(postback_check.check,))
def check_postback(request: PageRequest) -> PageAnswer:
    """Try a postback that is typed; nothing is counted, recorded or sent."""
    given = {name: value for name, _ in _SENT if (value := request.address.get(name))}
    form = open_form(request, PLAN, {"params": given}, choices={"params[status]": _STATUS_CHOICES}, is_new=True)
    answer = form.save()
    found = None if answer is None else answer.check
    return form.page(
        request,
        gettext("Check a postback"),
        back="/console/postbacks",
        line=gettext("It shows what a postback of an advertiser would do. Nothing is counted, recorded or sent."),
        save=gettext("Check the postback"),
        template="staff/traffic/postback_check.html",
        check=found,
        verdict=None if found is None else _verdict(found),
        evidence=[] if found is None else [_line(each) for each in found.steps],
    )


def _line(step: postback_check.PostbackStepView) -> EvidenceLine:
    """Return a step as a line of the evidence. What decided is in the words of the API."""
    label = _STEPS.get(step.name, step.name)
    if step.verdict == "declined":
        return EvidenceLine(label, "refused", gettext("It declines the conversion: %(why)s", why=step.detail))
    if step.verdict == "not asked":
        return EvidenceLine(label, "", gettext("not checked"))
    return EvidenceLine(label, _TONES.get(step.verdict, ""), step.detail or gettext("passed"))


def _verdict(check: postback_check.PostbackCheckView) -> tuple[str, str, str]:
    """Return the tone of the verdict, what the postback would do, and what it means."""
    made, response = check.conversion, check.response
    if made is None:
        if response == _WAITS:
            return "waits", gettext("It would wait: the click that it names may still be loaded."), ""
        meaning, advice = fault_words(response)
        return "rejected", gettext("It would change nothing: %(response)s.", response=response), f"{meaning} {advice}"
    status = str(STATUSES.get(made.status, made.status))
    charge, payout = (money(amount, made.currency) for amount in (made.revenue, made.payouts))
    words = {"status": status.lower(), "charge": charge, "payout": payout}
    sentence = (
        gettext("It would make a conversion: %(status)s, charge %(charge)s, payout %(payout)s.", **words)
        if made.is_new
        else gettext(
            "It would change conversion %(id)s: %(status)s, charge %(charge)s, payout %(payout)s.",
            id=made.id,
            **words,
        )
    )
    return ("rejected" if made.status == "declined" else "passes"), sentence, made.comment

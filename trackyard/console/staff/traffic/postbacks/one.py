"""The pages of one inbound postback and of one delivery (docs/spec/console.md#traffic)."""

from trackyard.api.tracking import explain, resends
from trackyard.api.tracking.explain import (
    ExplainedConversionView,
    ExplainedDeliveryView,
    ExplainedPostbackView,
    ExplanationView,
)
from trackyard.base.errors import NotFound
from trackyard.base.texts.marks import gettext
from trackyard.console.conversions.listing import STATUSES
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import number
from trackyard.console.staff.traffic.clicks.one import ClickFact
from trackyard.console.staff.traffic.postbacks.words import (
    STATES,
    answer_text,
    fault_words,
    outcome_of,
    outcome_sentence,
)
from trackyard.console.staff.traffic.words import forgiven_words
from trackyard.console.tracking.postbacks import PATH

pages = Pages()


@pages.get(f"{PATH}/received/{{id}}", needs=(explain.explain,))
def received_page(request: PageRequest) -> PageAnswer:
    """Show an inbound postback, and what it did."""
    explanation = _explained(request)
    found = [*explanation.postbacks, *explanation.postbacks_without_click]
    postback = next((each for each in found if each.id == request.key), None)
    if postback is None:
        raise NotFound
    meaning, advice = fault_words(postback.response)
    sentence = (
        gettext("It changed nothing: %(response)s.", response=postback.response)
        if postback.response
        else STATES[postback.state]
    )
    return request.page(
        "staff/traffic/postback_received.html",
        postback=postback,
        tone="rejected" if postback.response else "passes" if postback.state == "decided" else "waits",
        sentence=sentence,
        more=f"{meaning} {advice}".strip(),
        facts=_received_facts(request, postback, explanation),
        api_request_path=request.calls.address(explain.explain, [("id", postback.id)]),
    )


@pages.get(f"{PATH}/sent/{{id}}", needs=(explain.explain,))
def sent_page(request: PageRequest) -> PageAnswer:
    """Show a delivery to an affiliate with all its attempts."""
    explanation, wanted = _explained(request), request.key
    delivery = next((each for each in explanation.deliveries if wanted in _ids_of(each)), None)
    if delivery is None:
        raise NotFound
    label, tone = outcome_of(delivery.outcome)
    made = {each.id: each for each in explanation.conversions}
    return request.page(
        "staff/traffic/postback_sent.html",
        delivery=delivery,
        label=label,
        tone=tone,
        box={"confirmed": "passes", "declined": "rejected"}.get(tone, "waits"),
        sentence=_why(request, delivery, outcome_sentence(delivery.outcome)),
        attempts=[(each, outcome_of(each.outcome), answer_text(each)) for each in delivery.attempts],
        last=delivery.attempts[-1].id if delivery.attempts else "",
        facts=_sent_facts(delivery, made.get(delivery.conversion_id)),
        may_resend=request.calls.may(resends.resend),
        api_request_path=request.calls.address(explain.explain, [("id", wanted)]),
    )


def _explained(request: PageRequest) -> ExplanationView:
    """Return the explanation of the id in the path. Raises NotFound."""
    found = request.calls.ask(explain.explain, [("id", request.key)]).explanation
    if found is None:
        raise NotFound
    return found


def _ids_of(delivery: ExplainedDeliveryView) -> list[str]:
    """Return the ids of a delivery: its own id, and the ids of its attempts."""
    return [delivery.job_id, *(each.id for each in delivery.attempts)]


def _why(request: PageRequest, delivery: ExplainedDeliveryView, meaning: str) -> str:
    """Return the state of a delivery in a sentence."""
    next_at = request.time_of(delivery.next_at, seconds=True)
    again = gettext(" The next attempt is at %(next_at)s.", next_at=next_at) if next_at else ""
    if not delivery.attempts:
        return f"{meaning}{again}"
    last = delivery.attempts[-1]
    return gettext(
        "%(answer)s after %(time)s ms. %(meaning)s%(again)s",
        answer=answer_text(last),
        time=number(last.milliseconds),
        meaning=meaning,
        again=again,
    )


def _received_facts(
    request: PageRequest, postback: ExplainedPostbackView, explanation: ExplanationView
) -> list[ClickFact]:
    click = explanation.click
    conversion = postback.conversion_id or ""
    named = postback.click_id
    return [
        each
        for each in (
            ClickFact(gettext("Received"), request.time_of(postback.created_at, seconds=True)),
            ClickFact(gettext("From"), postback.ip, postback.method),
            ClickFact(gettext("Click"), named, "", f"/console/clicks/{click.id}" if click else ""),
            ClickFact(
                gettext("Conversion"), conversion, "", f"/console/conversions/{conversion}" if conversion else ""
            ),
            ClickFact(gettext("Goal"), postback.goal),
            ClickFact(gettext("Action ID"), postback.action_id),
            ClickFact(gettext("Forgiven"), forgiven_words(postback.forgiven)),
        )
        if each.value
    ]


def _sent_facts(delivery: ExplainedDeliveryView, conversion: ExplainedConversionView | None) -> list[ClickFact]:
    pid = "" if conversion is None else str(conversion.pid)
    by = (
        gettext("postback %(postback_id)s", postback_id=delivery.postback_id)
        if delivery.postback_id
        else gettext("cross-postback URL of the offer")
    )
    return [
        each
        for each in (
            ClickFact(
                gettext("Conversion"),
                delivery.conversion_id,
                "",
                f"/console/conversions/{delivery.conversion_id}",
            ),
            ClickFact(
                gettext("Reports"),
                str(STATUSES.get(delivery.status, delivery.status)),
                gettext("change %(version)s of the conversion", version=delivery.version),
            ),
            ClickFact(gettext("Affiliate"), f"#{pid}" if pid else "", "", f"{PATH}?tab=sent&affiliate={pid}&period=7d"),
            ClickFact(gettext("Because of"), by),
            ClickFact(gettext("Delivery"), delivery.job_id, "X-Trackyard-Delivery"),
        )
        if each.value
    ]

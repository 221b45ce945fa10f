"""Deliveries that are sent again by hand: one, or all of an affiliate in a span."""

from trackyard.api.tracking import resends
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import AFFILIATES
from trackyard.console.tracking.postbacks import PATH

pages = Pages()


@pages.post(f"{PATH}/sent/{{id}}/resend", needs=(resends.resend,))
def resend_one(request: PageRequest) -> PageAnswer:
    """Send a delivery again."""
    answer = request.calls.ask(resends.resend, path={"id": request.key})
    back = request.field("back")
    is_own = back.startswith("/console/") and "//" not in back and "\\" not in back
    return Redirect(back if is_own else f"{PATH}/sent/{request.key}", _done(answer))


@pages.get(f"{PATH}/replay", needs=(resends.replay,))
def replay_form(request: PageRequest) -> PageAnswer:
    """Ask which deliveries shall be sent again."""
    return _form(request, {"pid": request.address.get("affiliate")})


@pages.post(f"{PATH}/replay", needs=(resends.replay,))
def replay(request: PageRequest) -> PageAnswer:
    """Send all deliveries of an affiliate in a span again."""
    typed = {name: request.field(name).strip() for name in ("pid", "from", "to")}
    sent = [(name, value.replace("T", " ")) for name, value in typed.items()]
    try:
        answer = request.calls.ask(resends.replay, sent)
    except RequestError as refusal:
        return _form(request, typed, refusal)
    return Redirect(f"{PATH}?tab=sent&affiliate={typed['pid']}&period=7d", _done(answer))


def _form(request: PageRequest, typed: dict[str, str], refusal: RequestError | None = None) -> Html:
    return request.page(
        "staff/traffic/replay.html",
        400 if refusal else 200,
        typed=typed,
        affiliates=AFFILIATES.choices(request.calls),
        faults={} if refusal is None else {name: " ".join(each) for name, each in (refusal.fields or {}).items()},
        refusal="" if refusal is None else refusal.text,
    )


def _done(answer: resends.ResentAnswer) -> str:
    """Return how many deliveries were sent again, and how many were not, in words."""
    waiting = gettext(" %(waiting)s waited already.", waiting=answer.waiting) if answer.waiting else ""
    dropped = gettext(" %(dropped)s have no postback any more.", dropped=answer.dropped) if answer.dropped else ""
    return f"{answer.message}.{waiting}{dropped}"

"""How a person gets alerts and digests (docs/spec/console.md#alerts)."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from trackyard.api.platform.alerts import alerts
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.system.alerts import PATH
from trackyard.domain.platform.alerts.kinds import AlertKind

pages = Pages()

CHOICES: Final = f"{PATH}/choices"
_NEEDS: Final = (alerts.show_choices, alerts.edit_choices)
_RHYTHMS: Final = (
    ("none", lazy_gettext("No digest")),
    ("day", lazy_gettext("Each day")),
    ("week", lazy_gettext("Each Monday")),
)
_TEXTS: Final = ("quiet_from", "quiet_until")


@pages.get(CHOICES, needs=_NEEDS)
def choices(request: PageRequest) -> PageAnswer:
    """Show what the person chose."""
    return _page(request, request.calls.ask(alerts.show_choices).choices)


@pages.post(CHOICES, needs=_NEEDS)
def choose(request: PageRequest) -> PageAnswer:
    """Change what the person chose."""
    sent: list[Pair] = [(name, request.field(name)) for name in _TEXTS]
    sent += [(name, "1" if request.field(name) else "0") for name in ("errors_pass", "mail_ends")]
    sent += [(name, request.field(name)) for name in ("digest", "digest_hour") if request.field(name)]
    sent += [
        (f"ways[{kind.value}]", "mail" if request.field(f"mail-{kind.value}") else "console") for kind in AlertKind
    ]
    try:
        request.calls.ask(alerts.edit_choices, sent)
    except BadInput as refusal:
        before = request.calls.ask(alerts.show_choices).choices
        typed = {name: request.field(name) for name in _TEXTS}
        faults = {name: " ".join(sentences) for name, sentences in (refusal.fields or {}).items()}
        return _page(request, replace(before, **typed), faults, refusal.status)
    return Redirect(CHOICES, gettext("Your choices are saved."))


def _page(
    request: PageRequest, chosen: alerts.AlertChoicesView, faults: Mapping[str, str] | None = None, status: int = 200
) -> PageAnswer:
    return request.page(
        "system/alert_choices.html",
        status,
        chosen=chosen,
        kinds=[(kind.value, str(kind.label), chosen.ways[kind.value] == "mail") for kind in AlertKind],
        faults=faults or {},
        own_zone=request.zone.key,
        rhythms=_RHYTHMS,
        next_digest=request.time_of(chosen.next_digest_at) if chosen.next_digest_at else "",
    )

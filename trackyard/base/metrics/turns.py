"""Metrics of what is refused so that others are served."""

from typing import Final

from trackyard.base.metrics.declarations import MetricLabel, MetricSection

_turns: Final = MetricSection("Strangers and turns of pages")

STRANGERS_REFUSED: Final = _turns.counter(
    "trackyard_strangers_refused_total",
    "requests",
    "Acts of strangers that were refused: sign-in, links, sign-up",
    "Many of one door: someone tries passwords or fills forms there. People who signed in are served meanwhile; see "
    "[strangers](spec/callers.md#strangers).",
    MetricLabel(
        "act",
        "what was refused",
        {
            "check_password": "a sign-in",
            "use_link": "a link that signs in, sets a password or confirms an e-mail address",
            "send_link": "a mail with such a link",
            "sign_up": "a new affiliate or advertiser",
            "other": "a method without a key that does none of these",
        },
    ),
    MetricLabel("door", "path of the method as in docs/api, or of the page; `other` for acts outside of a request"),
    MetricLabel(
        "reason",
        "why",
        {
            "rate": "its network is over the rate of strangers",
            "busy": "as many strangers as may wait were waiting",
            "tries": "its network or the account has had too many tries",
        },
    ),
)
PAGES_REFUSED: Final = _turns.counter(
    "trackyard_pages_refused_total",
    "pages",
    "Pages, and figures of pages, that waited too long for their turn",
    "`share`: one person, or a program with the session of one, opens many pages at once. `busy`: pages take long, "
    "look at `trackyard_api_request_duration_seconds` of the kind `console`.",
    MetricLabel(
        "reason",
        "why",
        {
            "share": "the person has as many pages at once as one may have",
            "busy": "other people have all places that this person may have",
        },
    ),
)

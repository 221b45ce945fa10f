"""Find the visitors that get through an offer without a payment.

docs/spec/offers.md#visitors-without-a-payment"""

from collections.abc import Iterable
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.base.texts.languages import spoken
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.decision.routes import restrictions_of
from trackyard.decision.targeting.targeting import Targeting
from trackyard.decision.targeting.unpaid import UnpaidVisitors, find_unpaid
from trackyard.domain.platform.geo import LANGUAGES, countries
from trackyard.domain.tracking.ruleset import RulesetOffer
from trackyard.store.conversions.decisions import get_decision_context
from trackyard.store.engine.database import Connection
from trackyard.store.tracking import rulesets

_NAMED: Final = 5
"""Values that a sentence names."""
_SENTENCES: Final = {
    ("countries", False): lazy_gettext("Visitors from %(names)s get through, but no payment matches."),
    ("countries", True): lazy_gettext("Visitors from %(names)s get through, but no payment for goal %(goal)s matches."),
    ("devices", False): lazy_gettext("Visitors with the devices %(names)s get through, but no payment matches."),
    ("devices", True): lazy_gettext(
        "Visitors with the devices %(names)s get through, but no payment for goal %(goal)s matches."
    ),
    ("os", False): lazy_gettext("Visitors with the systems %(names)s get through, but no payment matches."),
    ("os", True): lazy_gettext(
        "Visitors with the systems %(names)s get through, but no payment for goal %(goal)s matches."
    ),
}
"""By the property, and whether the goal is named."""


def unpaid_sentences(deps: Deps, offer_id: int) -> list[str]:
    """Return a sentence for each kind of visitors without a payment."""
    with deps.database.read() as conn:
        return [unpaid_sentence(each) for each in find_unpaid_of(conn, offer_id, deps.zone)]


def find_unpaid_of(conn: Connection, offer_id: int, zone: ZoneInfo) -> list[UnpaidVisitors]:
    """Return the visitors of an offer without a payment. zone: the platform's."""
    terms = get_decision_context(conn, [offer_id], [], zone).offers.get(offer_id)
    row = rulesets.compile_rows(conn, "offer", [str(offer_id)]).get(str(offer_id))
    if terms is None or not isinstance(row, RulesetOffer):
        return []
    targeting = Targeting(restrictions_of(row)) if row.restrictions else None
    return find_unpaid(targeting, terms.payments, terms.personal_payments)


def unpaid_sentence(unpaid: UnpaidVisitors) -> str:
    """Return visitors without a payment in words."""
    names = _names(unpaid)
    sentence = gettext(str(_SENTENCES[unpaid.of, bool(unpaid.goal)]), names=names, goal=unpaid.goal)
    if unpaid.affiliate_id is None:
        return sentence
    return gettext("Affiliate %(id)s: %(sentence)s", id=unpaid.affiliate_id, sentence=sentence)


def _names(unpaid: UnpaidVisitors) -> str:
    values = unpaid.values
    if unpaid.of == "countries":
        words = _country_names(values)
        if len(values) > _NAMED:
            return gettext("%(num)d countries, such as %(names)s,", num=len(values), names=words[0])
    else:
        words = list(values)
    more = len(words) - _NAMED
    named = words[:_NAMED] if more > 0 else words
    text = ", ".join(named)
    return gettext("%(names)s and %(num)d more", names=text, num=more) if more > 0 else text


def _country_names(codes: Iterable[str]) -> list[str]:
    language = spoken().code if spoken().code in LANGUAGES else "en"
    names = {each.code: each.name for each in countries(language)}
    return [names.get(code, code) for code in codes]

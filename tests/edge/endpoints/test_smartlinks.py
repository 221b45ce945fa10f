"""SmartLinks: which offer of a category a click goes to."""

from collections import Counter

import pytest

from tests.support.clicks.edge_handler import MemoryJournal, ask
from tests.support.clicks.rules import ADVERTISER, make_offer, make_ruleset
from trackyard.decision.routes import Ruleset
from trackyard.domain.tracking.ruleset import (
    RulesetAdvertiser,
    RulesetAffiliate,
    RulesetLanding,
    RulesetPlatform,
    RulesetSmartLink,
    RulesetSmartLinkOffer,
)
from trackyard.edge.endpoints.handler import EdgeHandler

KEY = "5" * 24
LINK = f"/sl?id={KEY}&pid=7"
OFFERS = 5


def some_rules(*, closed: tuple[int, ...] = (), **changed: object) -> Ruleset:
    """A category of the offers 1..5, the best of which is 3; those of `closed` are not active."""
    offers = [
        make_offer(
            number,
            hash=f"{number:024x}",
            url=f"http://{number}.example/?o={{offer_id}}&s={{sub1}}",
            **{"active": number not in closed} | changed,
        )
        for number in range(1, OFFERS + 1)
    ]
    order = [3, 1, 2, 4, 5]
    link = RulesetSmartLink(
        KEY, tuple(RulesetSmartLinkOffer(number, 1 / place) for place, number in enumerate(order, 1))
    )
    people = [
        RulesetAffiliate(id=7),
        RulesetAdvertiser(id=ADVERTISER),
        RulesetPlatform("http://back.example/"),
    ]
    return make_ruleset([*offers, *people, link])


def count_targets(edge: EdgeHandler, journal: MemoryJournal, clicks: int) -> Counter[int]:
    for _ in range(clicks):
        ask(edge, LINK)
    return Counter(each.offer for each in journal.records if not each.reason)


def test_smartlink_sends_four_of_five_clicks_to_best_offer(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = some_rules()
    gone = count_targets(edge, journal, 3000)
    assert sum(gone.values()) == 3000
    # 80 % and a fifth of 20 %; five deviations of a fair draw are ± 71 and ± 54.
    assert abs(gone[3] - 2520) < 110
    assert all(abs(gone[number] - 120) < 60 for number in (1, 2, 4, 5))


def test_smartlink_skips_offers_that_reject_the_click(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = some_rules(closed=(3, 4))
    gone = count_targets(edge, journal, 1500)
    assert set(gone) == {1, 2, 5}
    assert abs(gone[1] - 1300) < 80
    assert abs(gone[2] - gone[5]) < 75


def test_smartlink_click_is_recorded_with_selected_offer(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = some_rules(closed=(1, 2, 4, 5), landings=(RulesetLanding(9, "http://land.example/{sub1}"),))
    answer = ask(edge, LINK + "&sub1=a%20b&offer_id=1")
    click = journal.click
    assert (answer.status, answer.location) == (302, b"http://3.example/?o=3&s=a%20b")
    assert (click.offer, click.smart_id, click.reason, click.uniq, click.advertiser) == (3, KEY, "", 1, ADVERTISER)
    assert f"afclick_3={click.id}".encode() in answer.headers
    assert ask(edge, LINK + "&sub1=s&l=9").location == b"http://land.example/s"
    assert (journal.click.landing, journal.click.uniq) == (9, 0)


def test_smartlink_rejected_by_all_uses_trafficback_of_best_offer(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = some_rules(closed=(1, 2, 3, 4, 5))
    answer = ask(edge, LINK)
    assert answer.location == b"http://back.example/"
    assert (journal.click.offer, journal.click.smart_id, journal.click.reason) == (3, KEY, "inactive-offer")
    assert len(journal.records) == 1
    edge.ruleset = some_rules(trafficback_url="http://own.example/", open=False)
    assert ask(edge, LINK).location == b"http://own.example/"
    assert journal.click.reason == "disabled-affiliate"


@pytest.mark.parametrize(
    ("query", "reason", "smart_id"),
    [
        ("pid=7", "invalid-offer", ""),
        ("pid=7&id=nonsense&offer_id=3", "invalid-offer", ""),
        ("pid=7&id=" + "6" * 24, "unknown-offer", ""),
        (f"pid=7&id={3:024x}", "unknown-offer", ""),
        (f"id={KEY}", "invalid-affiliate", KEY),
        (f"id={KEY}&pid=8", "unknown-affiliate", KEY),
    ],
)
def test_smartlink_with_invalid_parameters_is_rejected(
    edge: EdgeHandler, journal: MemoryJournal, query: str, reason: str, smart_id: str
) -> None:
    edge.ruleset = some_rules()
    assert ask(edge, f"/sl?{query}").location == b"http://back.example/"
    assert (journal.click.reason, journal.click.smart_id) == (reason, smart_id)


def test_smartlink_category_without_offers_rejects_clicks(edge: EdgeHandler, journal: MemoryJournal) -> None:
    for offers in ((), (RulesetSmartLinkOffer(99),)):
        edge.ruleset = make_ruleset([RulesetAffiliate(id=7), RulesetSmartLink(KEY, offers)])
        assert ask(edge, LINK).status == 404
        assert (journal.click.reason, journal.click.smart_id) == ("unknown-offer", KEY)


def test_smartlink_head_redirects_without_recording(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = some_rules()
    assert ask(edge, LINK, method="HEAD").status == 302
    assert journal.records == []
    ask(edge, LINK)
    assert journal.click.uniq == 1


def test_smartlink_bot_click_redirects_like_visitor_click(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = some_rules(closed=(1, 2, 4, 5))
    answer = ask(edge, LINK, user_agent=b"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
    assert answer.location.startswith(b"http://3.example/")
    assert b"Set-Cookie" not in answer.headers
    assert (journal.click.offer, journal.click.reason) == (3, "bot")

"""Views: what `/imp` records and answers."""

import pytest

from tests.edge.conftest import ROWS
from tests.support.clicks.edge_handler import NOW, MemoryJournal, ask
from tests.support.clicks.rules import ADVERTISER, HASH, make_offer, make_ruleset, packed
from trackyard.domain.offers.offers import WeightedUrl
from trackyard.domain.tracking.ruleset import ClickCap, RulesetPlatform
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.answers import JOURNAL_UNWRITABLE
from trackyard.journal.records import Impression

VIEW = "/imp?aid=7&oid=3"


def with_offer(edge: EdgeHandler, **changed: object) -> None:
    offer = make_offer(**{"allow_impressions": True} | changed)
    edge.ruleset = make_ruleset([offer, *ROWS[1:], RulesetPlatform("http://back.example/")])


def seen(journal: MemoryJournal) -> Impression:
    found = journal.records[-1]
    assert isinstance(found, Impression)
    return found


@pytest.mark.parametrize("offer", ["3", HASH])
def test_impression_is_recorded_with_click_fields(edge: EdgeHandler, journal: MemoryJournal, offer: str) -> None:
    with_offer(edge)
    answer = ask(
        edge,
        f"/imp?aid=7&oid={offer}&sub1=a%20b",
        peer="127.0.0.1",
        x_forwarded_for=b"8.8.8.8",
        referer=b"http://f.example/",
    )
    assert (answer.status, answer.content_type, answer.location) == (200, b"image/gif", b"")
    assert answer.body.startswith(b"GIF89a")
    assert answer.headers == b"Cache-Control: no-store\r\n"
    view = seen(journal)
    assert (view.time, view.reason, view.offer, view.affiliate, view.advertiser) == (NOW, "", 3, 7, ADVERTISER)
    assert (view.sub1, view.country, view.referrer, view.uniq, len(view.id)) == (
        "a b",
        "US",
        "http://f.example/",
        0,
        24,
    )


def test_impression_counter_url_of_offer_is_redirected_to(edge: EdgeHandler, journal: MemoryJournal) -> None:
    with_offer(edge, impressions_url="http://count.example/?i={clickid}&s={sub1}", redirect_type="js")
    answer = ask(edge, VIEW + "&sub1=%C3%A9")
    assert (answer.status, answer.location) == (302, f"http://count.example/?i={seen(journal).id}&s=%C3%A9".encode())
    with_offer(edge, impressions_url="http://count.example/", allow_impressions=False)
    assert ask(edge, VIEW).status == 200


def test_impressions_are_shared_by_the_weight_of_targets(edge: EdgeHandler) -> None:
    shares = (WeightedUrl(url="http://a.example/", weight=30), WeightedUrl(url="http://b.example/", weight=30))
    with_offer(edge, impressions_url="http://rest.example/", impression_urls=shares)
    found = [ask(edge, VIEW, peer=f"192.0.2.{number}").location for number in range(60)]
    assert {bytes(each) for each in found} == {b"http://a.example/", b"http://b.example/", b"http://rest.example/"}
    assert found == [ask(edge, VIEW, peer=f"192.0.2.{number}").location for number in range(60)]
    with_offer(edge, impression_urls=(WeightedUrl(url="http://a.example/", weight=100),))
    assert ask(edge, VIEW).location == b"http://a.example/"


def test_impression_beyond_a_click_cap_is_rejected_where_the_offer_says_so(
    edge: EdgeHandler, journal: MemoryJournal
) -> None:
    cap = ClickCap(id="c1", period="day", value=1)
    for rejects in (False, True):
        with_offer(edge, click_caps=(cap,), impression_overcap=rejects, impressions_url="http://count.example/")
        if not rejects:
            ask(edge, "/click?pid=7&offer_id=3")
        answer = ask(edge, VIEW)
        assert (answer.location, seen(journal).reason) == (
            (b"", "overcap") if rejects else (b"http://count.example/", "")
        )


@pytest.mark.parametrize(
    ("target", "changed", "reason"),
    [
        (VIEW, {"allow_impressions": False}, "no-impressions"),
        (VIEW, {"active": False}, "inactive-offer"),
        ("/imp?aid=8&oid=3", {}, "unknown-affiliate"),
        ("/imp?oid=3", {}, "invalid-affiliate"),
        ("/imp?aid=7&oid=99", {}, "unknown-offer"),
        ("/imp", {}, "invalid-offer"),
    ],
)
def test_impression_rejected_is_recorded_and_answers_image(
    edge: EdgeHandler, journal: MemoryJournal, target: str, changed: dict[str, object], reason: str
) -> None:
    with_offer(edge, **changed)
    assert ask(edge, target).body.startswith(b"GIF89a")
    assert seen(journal).reason == reason


def test_impressions_do_not_count_clicks(edge: EdgeHandler, journal: MemoryJournal) -> None:
    cap = ClickCap("c" * 24, "day", 1)
    with_offer(edge, click_caps=(cap,), restrictions=packed(unique_only=True))
    for _ in range(3):
        ask(edge, VIEW)
        assert seen(journal).reason == ""
    assert ask(edge, "/click?pid=7&offer_id=3").location.startswith(b"http://shop.example/")
    assert (journal.click.reason, journal.click.uniq) == ("", 1)


def test_impression_head_records_nothing_and_full_journal_is_503(edge: EdgeHandler, journal: MemoryJournal) -> None:
    with_offer(edge)
    assert ask(edge, VIEW, method="HEAD").status == 200
    assert journal.records == []
    journal.full = True
    assert ask(edge, VIEW) is JOURNAL_UNWRITABLE

"""Postbacks, pixels and news on both engines."""

from dataclasses import replace

from tests.support.stores.seeds import add_advertiser, add_affiliate, add_connection, add_offer, add_postback
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.news import News, NewsFilter
from trackyard.domain.tracking.pixels import NewPixel
from trackyard.domain.tracking.postbacks import PostbackFilter
from trackyard.store.engine.database import Connection, Database
from trackyard.store.offers import offers
from trackyard.store.platform import news
from trackyard.store.tracking import pixels, postbacks

ALL = Scope.everything()


def add_people(conn: Connection) -> tuple[int, int, int, int]:
    """Add two affiliates and two offers."""
    shop = add_advertiser(conn)
    return add_affiliate(conn), add_affiliate(conn), add_offer(conn, shop), add_offer(conn, shop)


def test_postback_store_respects_scope(database: Database) -> None:
    with database.write() as conn:
        one, other, offer, second = add_people(conn)
        mine = add_postback(conn, one, "https://a.example", offer_id=offer)
        everywhere = add_postback(conn, one, "https://b.example")
        foreign = add_postback(conn, other, "https://c.example", offer_id=second)
    own, of_one = Scope.of_affiliate(one), PostbackFilter(affiliate_ids=(one,))
    with database.write() as conn:
        found = postbacks.find_postback(conn, own, mine, lock=True)
        assert found is not None and (found.id, found.offer_id, found.forced) == (mine, offer, False)
        assert postbacks.find_postback(conn, own, foreign) is None
        assert postbacks.find_postback(conn, ALL, 999) is None
        assert postbacks.offers_with(conn, own, [offer, second, 999]) == {offer}
        assert postbacks.offers_with(conn, ALL, [offer, second, 999]) == {offer, second}
        page, total = postbacks.list_postbacks(conn, of_one, 2, 1)
        assert ([item.id for item in page], total) == ([everywhere], 2)
        assert postbacks.list_postbacks(conn, of_one, 2**40, 1000) == ([], 2)
        postbacks.edit_postback(conn, mine, {"status": "hold", "updated_at": 9})
        assert postbacks.find_postback(conn, ALL, mine) == replace(found, status="hold", updated_at=9)
        assert postbacks.remove_of_offers(conn, own, [offer, second]) == 1
        assert postbacks.remove_of_offers(conn, ALL, [second]) == 1
        assert postbacks.remove_of_affiliates(conn, [one, other]) == 1
        assert postbacks.list_postbacks(conn, of_one, 1, 10) == ([], 0)


def test_offer_store_lists_visible_offers_of_affiliate(database: Database) -> None:
    with database.write() as conn:
        one, other, open_, hidden = add_people(conn)
        private = add_offer(conn, add_advertiser(conn), privacy="private")
        add_connection(conn, private, one)
        add_connection(conn, private, other, enabled=False)
        offers.remove_offers(conn, [hidden], 5)
    with database.read() as conn:
        wanted = [open_, hidden, private, 999]
        assert offers.visible_among(conn, wanted, one) == {open_, private}
        assert offers.visible_among(conn, wanted, other) == {open_}
        assert offers.visible_among(conn, wanted, None) == {open_, private}


def test_pixel_store_respects_scope(database: Database) -> None:
    with database.write() as conn:
        one, other, offer, _ = add_people(conn)
        new = NewPixel(one, offer, "Count", "<img>", "image", True, 0, 1, 1)
        mine, foreign = pixels.add_pixel(conn, new), pixels.add_pixel(conn, replace(new, affiliate_id=other))
        assert pixels.find_pixel(conn, Scope.of_affiliate(one), mine.id, lock=True) == mine
        assert pixels.find_pixel(conn, Scope.of_affiliate(one), foreign.id) is None
        assert pixels.list_pixels(conn, Scope.of_affiliate(one)) == [mine]
        assert pixels.list_pixels(conn, ALL) == [mine, foreign]
        pixels.edit_pixel(conn, mine.id, {"is_active": False, "moderation_status": 1})
        assert pixels.find_pixel(conn, ALL, mine.id) == replace(mine, is_active=False, moderation_status=1)
        pixels.remove_pixel(conn, mine.id)
        assert pixels.list_pixels(conn, ALL) == [foreign]


def test_news_store_orders_pinned_then_newest(database: Database) -> None:
    with database.write() as conn:
        for number, (published, pinned) in enumerate([(True, False), (False, True), (True, True), (True, False)]):
            news.add_news(conn, News(f"{number:024x}", "T", "", "", published, pinned, number, number))
    with database.write() as conn:

        def listed(chosen: NewsFilter, skip: int = 0, limit: int = 10) -> tuple[list[int], int]:
            found, total = news.list_news(conn, chosen, skip=skip, limit=limit)
            return [item.created_at for item in found], total

        assert listed(NewsFilter(drafts=True)) == ([2, 1, 3, 0], 4)
        assert listed(NewsFilter(drafts=False)) == ([2, 3, 0], 3)
        assert listed(NewsFilter(drafts=False, pinned=False), skip=1, limit=1) == ([0], 2)
        assert listed(NewsFilter(drafts=True, pinned=True)) == ([2, 1], 2)
        draft = news.find_news(conn, f"{1:024x}", NewsFilter(drafts=True), lock=True)
        assert draft is not None and news.find_news(conn, draft.id, NewsFilter(drafts=False)) is None
        news.edit_news(conn, draft.id, {"published": True})
        assert news.find_news(conn, draft.id, NewsFilter(drafts=False)) == replace(draft, published=True)
        news.remove_news(conn, draft.id)
        assert news.find_news(conn, draft.id, NewsFilter(drafts=True)) is None

"""Offers with deep links that could not work have a sentence with the remedy."""

from typing import Any

import msgspec
import pytest

from tests.domain.offers.test_offer_edit import BLANK
from trackyard.domain.offers.deep_link_advice import deep_link_warnings
from trackyard.domain.offers.offers import Landing, TargetingGroup, WeightedUrl

WITHIN = (
    "A deep link is joined to this URL, not to the URL within it. Write {deeplink} where the page of the shop belongs."
)
LOST = (
    "[macro_url] A link with redirect= replaces the URL, so that the click id does not arrive. "
    "Move %s from the URL to macro_url, which such links get, too."
)
TEXT = (
    "[macro_url] This text is appended as it is written, also behind the query of a deep link. "
    "Write it as a query, such as &c={clickid}."
)


def behind(segment: str) -> str:
    return (
        f"A deep link is joined behind {segment}, which may not be a folder. "
        "Try one, or write {deeplink} where the page of the shop belongs."
    )


SITE = "https://shop.example/"
LANDING = Landing(id=1, title="L", url=f"{SITE}go/{{clickid}}", url_preview="")
GROUP = TargetingGroup(
    url=f"{SITE}a.html", urls=(WeightedUrl(url="https://r.example/?u=https://x.example/", weight=9),)
)
CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({"url": SITE, "macro_url": "&c={clickid}"}, []),
    ({"url": SITE}, []),  # no click id is asked for
    ({"url": f"{SITE}?u={{deeplink}}&c={{clickid}}"}, []),
    ({"url": "https://r.example/?u=https://shop.example/%7Bdeeplink%7D"}, []),
    ({"url": f"{SITE}?c={{clickid}}"}, [LOST % "c={clickid}"]),
    ({"url": f"{SITE}#/app?a=1&cid=%7Bclick_id%7D"}, [LOST % "cid={click_id}"]),
    ({"url": f"{SITE}?c={{clickid}}", "macro_url": "&c=%7Bclickid%7D"}, []),
    ({"url": f"{SITE}go/{{clickid}}"}, [f"[url] {behind('{clickid}')}", LOST % "{clickid}"]),
    ({"url": f"{SITE}go-{{sub1}}?x=1"}, [f"[url] {behind('go-{sub1}')}"]),
    ({"url": f"{SITE}index.php?route=x"}, [f"[url] {behind('index.php')}"]),
    ({"url": f"{SITE}v1.2/x"}, []),
    ({"url": "https://r.example/?u=https%3a%2F%2Fshop.example"}, [f"[url] {WITHIN}"]),
    ({"url": "https://r.example/http://shop.example/"}, [f"[url] {WITHIN}"]),
    ({"url": SITE, "macro_url": "/m/{clickid}"}, [TEXT]),
    ({"url": SITE, "macro_url": "#m"}, []),
    (
        {"url": SITE, "landings": (LANDING,), "targeting": (GROUP,), "macro_url": "c={clickid}"},
        [
            f"[landings[0][url]] {behind('{clickid}')}",
            f"[targeting[0][url]] {behind('a.html')}",
            f"[targeting[0][urls][0][url]] {WITHIN}",
        ],
    ),
]


@pytest.mark.parametrize(("changed", "sentences"), CASES)
def test_deep_links_that_could_not_work_have_a_sentence(changed: dict[str, Any], sentences: list[str]) -> None:
    offer = msgspec.structs.replace(BLANK, allow_deeplink=True, **changed)
    assert list(deep_link_warnings(offer)) == sentences
    assert list(deep_link_warnings(msgspec.structs.replace(offer, allow_deeplink=False))) == []

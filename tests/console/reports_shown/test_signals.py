"""Reports of the console with and without suspicious clicks."""

from html import unescape

import pytest

from tests.console.reports_shown.test_reports import table
from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import load_clicks
from tests.support.pages import PageReader, Visitor, affiliate_visitor, staff_visitor
from trackyard.domain.statistics.quality.origins import HOSTING, RELAY, VPN

PATH = "/console/reports?period=today&compare=none&by=origin&figures=clicks"


@pytest.fixture
def marked(api: Api) -> Api:
    """Three clicks with two suspicious signals, two with a private relay, and one with none, of today."""
    api.clock.advance(NOON + 3_600_000 - NOW)
    origins = (HOSTING | VPN,) * 3 + (RELAY,) * 2 + (0,)
    load_clicks(api.deps, [new_click(number, origin=origin) for number, origin in enumerate(origins, 1)])
    return api


def clicks_of(visitor: Visitor, path: str) -> dict[str, str]:
    """The clicks of each row by its signals."""
    answer = visitor.get(path)
    return {row[0]: row[1] for row in table(PageReader(answer.text), answer.text)[1:]}


def test_report_leaves_suspicious_clicks_out_with_one_link(marked: Api) -> None:
    visitor = staff_visitor(marked)
    assert clicks_of(visitor, PATH) == {"hosting, vpn": "3", "relay": "2", "None": "1"}
    text = visitor.get(PATH).text
    link = unescape(text.split("Without suspicious clicks")[0].rpartition('href="')[2].partition('"')[0])
    assert clicks_of(visitor, link) == {"relay": "2", "None": "1"}
    without = " ".join(PageReader(visitor.get(link).text).words)
    assert "Origin is not suspicious" in without and "Without suspicious clicks" not in without
    _, affiliate = affiliate_visitor(marked)
    assert "suspicious" not in affiliate.get("/portal/reports?period=today").text


def test_filter_of_signals_offers_choices_that_the_report_accepts(marked: Api) -> None:
    visitor = staff_visitor(marked)
    text = visitor.get(f"{PATH}&add=origin").text
    offered = [each.partition('"')[0] for each in text.split('name="value" value="')[1:]]
    assert offered == ["clean", "marked", "hosting", "vpn", "relay"]
    for choice in offered:
        answer = visitor.get(f"{PATH}&f.origin={choice}")
        assert answer.status_code == 200 and '<table class="report">' in answer.text, choice
    links = [each for each in visitor.read(PATH).links if "f.origin=" in each or "not.origin=hosting" in each]
    assert links == [], "a row has several signals, and the filter has one at a time"

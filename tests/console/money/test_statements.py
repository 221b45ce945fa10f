"""The page of a statement: its rows, their order and their links, on both sides.

See docs/spec/money.md#statements.
"""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO

import pytest
from pypdf import PdfReader

from tests.api.money.test_affiliate_payments import earn
from tests.support.api import Api
from tests.support.pages import Visitor, affiliate_visitor, staff_visitor
from trackyard.actions.money.documents import drawing
from trackyard.documents.pdf.process import PdfFault
from trackyard.domain.conversions.conversions import Conversion, ConversionChange
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.ledger import LedgerEntry, ledger_entries_of
from trackyard.store.conversions import conversions
from trackyard.store.money import ledger


def moment(day: int) -> int:
    """Noon of a day of November 2023, UTC milliseconds."""
    return int(datetime(2023, 11, day, 12, tzinfo=UTC).timestamp() * 1000)


def decline(api: Api, before: Conversion, at: int) -> None:
    """Decline a conversion at a moment."""
    after = replace(before, version=2, status=Status.DECLINED, updated_at=at)
    change = ConversionChange(before, after, "test")
    with api.deps.database.write() as conn:
        conversions.record_changes(conn, [change])
        ledger.add_entries(conn, ledger_entries_of(change))


def followed(visitor: Visitor, path: str, link: str) -> str:
    """The words of the page behind the link of a statement that has this text in its address."""
    [found] = {each for each in visitor.read(path).links if link in each}
    answer = visitor.get(found)
    assert answer.status_code == 200, found
    return answer.text


def test_statement_shows_reversals_and_shares_at_their_days_with_links(api: Api) -> None:
    pid, own = affiliate_visitor(api, name="Ann")
    referred, _ = api.add_affiliate(name="Ben")
    staff = staff_visitor(api)
    kept = earn(api, pid, "10", created_at=moment(2))
    lost = earn(api, pid, "7", created_at=moment(2))
    decline(api, lost, moment(11))
    shared = earn(
        api, referred, "10", created_at=moment(5), referrer_id=pid, referral_percent=Decimal("3.5"),
    )  # fmt: skip
    decline(api, shared, moment(9))
    api.admin.post("/3.1/admin/corrections", pid=pid, currency="USD", amount="-2.5", comment="Fee of the bank")
    with api.deps.database.write() as conn:
        ledger.add_entries(conn, [LedgerEntry(pid, "opening", "1", 1, "USD", Decimal(0), Decimal(40), moment(1))])
    rows = (
        "2023-11-01 Opening balance $0.00 "
        "2023-11-01 Earned on another platform $40.00 $40.00 "
        "2023-11-02 Conversions $17.00 $57.00 "
        "2023-11-05 Referral share $0.35 $57.35 "
        "2023-11-09 Referral share taken back \N{MINUS SIGN}$0.35 $57.00 "
        "2023-11-11 Taken back \N{MINUS SIGN}$7.00 $50.00 "
        "2023-11-14 Correction Fee of the bank \N{MINUS SIGN}$2.50 $47.50 "
        "2023-11-30 Closing balance $47.50"
    )
    span = "?from=2023-11-01&to=2023-11-30"
    for visitor, path, id_of in (
        (staff, f"/console/statements/{pid}{span}", "/console/conversions/{}"),
        (own, f"/portal/statement{span}", "{}"),
    ):
        text = visitor.read(path).text
        assert rows in text
        found = followed(visitor, path, "booked=conversions")
        assert "2 conversions" in found
        found = followed(visitor, path, "booked=reversals")
        assert "1 conversion" in found and "2 conversions" not in found
        assert id_of.format(lost.id) in found or lost.click_id in found
        assert kept.click_id not in found and f"/{kept.id}" not in found
        assert "Taken back" in visitor.read(f"{path}&by=offer").text
        assert "Taken back" in found, "the filter is said"
    assert shared.id in followed(staff, f"/console/statements/{pid}{span}", "booked=referral&")
    assert shared.id in followed(staff, f"/console/statements/{pid}{span}", "booked=referral_reversals")
    assert "Fee of the bank" in followed(staff, f"/console/statements/{pid}{span}", "corrections?")
    assert "/portal/referrals" in own.read(f"/portal/statement{span}").links
    assert not [each for each in own.read(f"/portal/statement{span}").links if "corrections" in each]


def test_link_of_a_day_by_offer_selects_the_offer_in_the_period(api: Api) -> None:
    pid, own = affiliate_visitor(api)
    first = earn(api, pid, "10", created_at=moment(2))
    path = "/portal/statement?from=2023-11-01&to=2023-11-30&by=offer"
    [link] = {each for each in own.read(path).links if "booked=conversions" in each}
    assert f"offer={first.offer_id}" in link and "from=2023-11-01" in link and "to=2023-11-30" in link
    assert first.click_id in own.get(link).text


def test_pdf_file_of_a_statement_has_the_lines_of_the_page_on_both_sides(api: Api) -> None:
    pid, own = affiliate_visitor(api, name="Ann Бойко")
    staff = staff_visitor(api)
    earn(api, pid, "10", created_at=moment(2))
    decline(api, earn(api, pid, "7.25", created_at=moment(3)), moment(11))
    api.admin.post("/3.1/admin/billing", legal_name="Harbour Network GmbH")
    days = "from=2023-11-01&to=2023-11-30"
    for visitor, page in ((staff, f"/console/statements/{pid}"), (own, "/portal/statement")):
        [link] = [each for each in visitor.read(f"{page}?{days}").links if "format=pdf" in each]
        answer = visitor.get(link)
        assert answer.headers["content-disposition"] == "attachment; filename=statement-2023-11-01-2023-11-30-USD.pdf"
        text = PdfReader(BytesIO(answer.content)).pages[0].extract_text()
        wanted = ("Harbour Network GmbH", "Ann Бойко", "2023-11-11 Taken back −$7.25 $10.00", "Closing balance $10.00")
        assert [each for each in wanted if each not in text] == []


def test_statement_that_is_not_drawn_leads_back_to_its_page(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> bytes:
        raise PdfFault("code 1: no font")

    monkeypatch.setattr(drawing, "pdf_of", broken)
    _, own = affiliate_visitor(api)
    answer = own.get("/portal/statement/file?format=pdf&period=month")
    assert (answer.status_code, answer.headers["location"]) == (303, "/portal/statement?period=month")

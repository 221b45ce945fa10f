"""PDF files: pages, headings, signs that no font has, wide tables, charts, companies, sums, logos."""

from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from pypdf import PageObject, PdfReader

from trackyard.console.charts.funnels import FunnelChart, FunnelStep, funnel_chart
from trackyard.documents.content import Document, DocumentTable, Party, decode, encode
from trackyard.documents.pdf import process
from trackyard.documents.pdf.layout import bands_of, lines_of, narrowed
from trackyard.documents.pdf.pages import draw
from trackyard.documents.pdf.process import PdfFault, pdf_of

STAND_IN = "“?” replaces a character that this file cannot show."
TABLE = DocumentTable(
    headings=("Offer", "Clicks", "Payout"),
    names=1,
    total=("Total", "12", "1\u202f020,50\u202f₽"),
    rows=(("Кредитная карта", "12", "1\u202f020,50\u202f₽"),),
    empty="Nothing was counted in these days.",
)
REPORT = Document(
    language="ru",
    network="Сеть",
    title="Отчёт «Ёж» и Ελλάδα",
    about=("Офферы · 1–30 ноября · Europe/Moscow",),
    notes=(),
    tables=(TABLE,),
    chart="",
    page="Страница {page} из {pages}",
    stand_in=STAND_IN,
    made_at=1_700_000_000_000,
)


def _logo() -> bytes:
    made = BytesIO()
    Image.new("RGB", (60, 20), "#2244aa").save(made, "PNG")
    return made.getvalue()


LOGO = _logo()


def with_table(**changes: Any) -> Document:
    """The report with another table."""
    return replace(REPORT, tables=(replace(TABLE, **changes),))


def pages_of(document: Document) -> list[PageObject]:
    return list(PdfReader(BytesIO(draw(document))).pages)


def test_pdf_has_title_period_totals_and_names_in_several_scripts() -> None:
    reader = PdfReader(BytesIO(pdf_of(REPORT)))
    [page] = reader.pages
    text = page.extract_text().replace("\u202f", " ")
    for expected in ("Отчёт «Ёж» и Ελλάδα", "Europe/Moscow", "Кредитная карта 12 1 020,50 ₽", "Total 12 1 020,50 ₽"):
        assert expected in text
    assert "Страница 1 из 1" in text and "Сеть" in text
    assert STAND_IN not in text and "?" not in text
    assert reader.metadata is not None and reader.metadata.title == REPORT.title


def test_pdf_repeats_headings_on_each_page_and_counts_pages() -> None:
    rows = tuple((f"Offer {number}", str(number), "$1.00") for number in range(150))
    pages = pages_of(replace(with_table(rows=rows), end=("The first 150 of 400 rows.",)))
    assert len(pages) == 4
    texts = [page.extract_text() for page in pages]
    assert all("Offer Clicks Payout" in text for text in texts)
    assert [f"Страница {number} из 4" in text for number, text in enumerate(texts, 1)] == [True] * 4
    assert [number for number in range(150) if f"Offer {number} {number} " not in "\n".join(texts)] == []
    assert "The first 150 of 400 rows." in texts[-1]


def test_pdf_writes_a_stand_in_for_a_sign_without_a_font_and_says_so() -> None:
    [page] = pages_of(with_table(rows=(("信用卡 \u2068Ёж\u2069", "1", "2"), ("שלום\u200b", "1", "2"))))
    text = page.extract_text()
    assert "??? Ёж" in text and "???? 1 2" in text and STAND_IN in text


@pytest.mark.parametrize(("figures", "wide", "pages"), [(3, False, 1), (8, True, 1), (40, True, 4)])
def test_pdf_is_landscape_for_many_columns_and_breaks_those_that_do_not_fit(
    figures: int, wide: bool, pages: int
) -> None:
    row = ("Offer", *(f"$1,020,{number:03}.00" for number in range(figures)))
    found = pages_of(with_table(headings=("Offer", *(f"No {n}" for n in range(figures))), rows=(row,), total=()))
    assert len(found) == pages
    assert {page.mediabox.width > page.mediabox.height for page in found} == {wide}
    assert all("Offer" in page.extract_text() for page in found)
    joined = "".join(page.extract_text() for page in found)
    assert all(joined.count(text) == 1 for text in row[1:])


def test_pdf_draws_the_chart_with_its_texts() -> None:
    steps = (FunnelStep("Клики", 50), FunnelStep("Конверсии", 5))
    svg = funnel_chart(FunnelChart("Воронка", steps), "funnel")
    [plain], [drawn] = pages_of(REPORT), pages_of(replace(REPORT, chart=str(svg)))
    assert "Конверсии" in drawn.extract_text() and "Конверсии" not in plain.extract_text()
    assert len(drawn.get_contents().get_data()) > len(plain.get_contents().get_data()) + 500  # type: ignore[union-attr]


def test_pdf_without_rows_says_so() -> None:
    [page] = pages_of(with_table(rows=()))
    assert TABLE.empty in page.extract_text()


def test_pdf_has_companies_facts_tables_and_sums_in_their_order() -> None:
    lines = DocumentTable(
        title="Lines",
        headings=("Offer", "Number", "Price", "Amount"),
        names=1,
        rows=(("Winter boots", "34", "€81.5759", "€2,773.58"),),
        sums=(("Net", "€2,773.58"), ("VAT 19 %", "€526.98"), ("Total", "€3,300.56")),
    )
    parties = (
        Party(heading="From", lines=("Σίγμα Δίκτυο ΑΕ", "Οδός 1, Αθήνα", "VAT EL123456789")),
        Party(heading="Bill to", lines=("Shoes GmbH", "A street with a long name " * 6)),
    )
    facts = (("Number", "INV-2026-0001"), ("Due date", "2026-12-14"))
    made = replace(REPORT, parties=parties, facts=facts, tables=(lines, TABLE), end=("IBAN DE02 1203 0000",), logo="x")
    [page] = PdfReader(BytesIO(pdf_of(made, LOGO))).pages
    text = page.extract_text()
    order = ["From", "INV-2026-0001", "Due date", "Lines", "Winter boots", "VAT 19 %", "Total €3,300.56", "IBAN DE02"]
    assert [text.index(each) for each in order] == sorted(text.index(each) for each in order)
    assert "Σίγμα Δίκτυο ΑΕ" in text and "Shoes GmbH" in text and "VAT EL123456789" in text
    assert len(page.images) == 1


def test_sums_of_a_pdf_are_on_one_page() -> None:
    sums = tuple((f"Sum {number}", f"${number}.00") for number in range(6))
    rows = tuple((f"Offer {number}", "1", "$1.00") for number in range(41))
    texts = [page.extract_text() for page in pages_of(with_table(rows=rows, sums=sums))]
    assert len(texts) == 2
    assert all(f"Sum {number}" in texts[1] and f"Sum {number}" not in texts[0] for number in range(6))


def test_stored_content_is_read_as_it_was_written() -> None:
    made = replace(REPORT, parties=(Party(heading="От", lines=("Сеть",)),), facts=(("a", "b"),))
    assert decode(encode(made)) == made


def test_pdf_that_takes_too_long_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "WALL_S", 0.001)
    with pytest.raises(PdfFault, match="code -9"):
        pdf_of(REPORT)


def test_columns_of_a_pdf_are_all_on_some_page_once() -> None:
    bands = bands_of([100.0, 20.0, *[25.0] * 12], 2, 180.0)
    assert [place for band in bands for place in band.columns if place >= 2] == list(range(2, 14))
    assert all(sum(band.widths) <= 180.01 and band.columns[:2] == (0, 1) for band in bands)
    assert narrowed([100.0, 20.0], 60.0) == [40.0, 20.0]


def test_text_of_a_cell_is_broken_at_words_and_where_a_word_is_too_long() -> None:
    assert lines_of("one two three", 7, len) == ["one two", "three"]
    assert lines_of("abcdefghij k", 4, len) == ["abcd", "efgh", "ij k"]
    assert lines_of("", 4, len) == [""]

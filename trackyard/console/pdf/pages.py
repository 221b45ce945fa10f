"""Draws a report on pages of A4 (docs/spec/console.md#pdf-of-a-report).

Sizes are in millimetres; sizes of text are in points.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from fpdf import FPDF
from fpdf.enums import Align, XPos, YPos
from fpdf.fonts import TTFFont

from trackyard.console.pdf.charts import draw_chart
from trackyard.console.pdf.document import PAGE, PAGES, PdfDocument
from trackyard.console.pdf.layout import PADDING, Band, bands_of, lines_of, natural_widths
from trackyard.console.pdf.signs import Signs, with_known_signs
from trackyard.domain.platform.network import PRODUCT

_DATA: Final = Path(__file__).parent / "data"
_FONT: Final = "report"
_TEXT, _SMALL, _TITLE = 8.0, 7.0, 15.0
_LINE: Final = 4.2
_MARGIN: Final = 12.0
_FOOT: Final = 16.0
_PORTRAIT: Final = 210.0 - 2 * _MARGIN
_CHART: Final = _PORTRAIT
_INK, _GREY, _RULE, _SHADE, _NOTE = "#1b1c20", "#575a63", "#e7e6e1", "#f3f3f0", "#7d5200"
_COUNT: Final = "{nb}"
"""What the library replaces by the number of pages."""


def draw(document: PdfDocument) -> bytes:
    """Return a report as a PDF file."""
    return bytes(_ReportFile(document).output())


class _ReportFile(FPDF):
    """The pages of a report."""

    def __init__(self, document: PdfDocument) -> None:
        super().__init__(unit="mm", format="A4")
        for style, name in (("", "regular.ttf"), ("B", "bold.ttf")):
            self.add_font(_FONT, style, _DATA / name)
        font = self.fonts[_FONT]
        self._signs = Signs(font.cmap if isinstance(font, TTFFont) else ())
        self._document = with_known_signs(document, self._signs)
        self._describe()
        self.set_margins(_MARGIN, _MARGIN)
        self.set_auto_page_break(auto=False)
        self.alias_nb_pages(_COUNT)
        self.set_font(_FONT, "", _TEXT)
        self.set_line_width(0.15)
        self._draw()

    def footer(self) -> None:
        """Draw the foot of a page: what replaces missing characters, the network and the number of the page."""
        document = self._document
        self._use(_SMALL, colour=_GREY)
        self.set_xy(_MARGIN, self.h - _MARGIN)
        number = document.page.replace(PAGE, str(self.page_no())).replace(PAGES, _COUNT)
        self.cell(self.epw, 4, number, align=Align.R)
        self.set_xy(_MARGIN, self.h - _MARGIN)
        self.cell(self.epw, 4, document.network)
        if document.stand_in:
            self.set_xy(_MARGIN, self.h - _MARGIN - 4)
            self.cell(self.epw, 4, document.stand_in)

    def _describe(self) -> None:
        document = self._document
        self.set_title(document.title)
        self.set_author(document.network)
        self.set_lang(document.language)
        self.set_producer(PRODUCT)
        self.set_creation_date(datetime.fromtimestamp(document.made_at / 1000, UTC))

    def _draw(self) -> None:
        document = self._document
        self._use(_TEXT, bold=True)
        texts = [document.total, *document.rows] if document.total else document.rows
        widths = natural_widths(texts, document.headings, self.get_string_width)
        self.add_page(orientation="portrait" if sum(widths) <= _PORTRAIT else "landscape")
        self._head()
        if document.chart:
            self._use(_SMALL)
            height = draw_chart(self, document.chart, self._signs, (_MARGIN, self.get_y()), min(self.epw, _CHART))
            self.set_y(self.get_y() + height + 4)
        for number, band in enumerate(bands_of(widths, document.names, self.epw)):
            if number:
                self.add_page(same=True)
            self._table(band)
        if document.end:
            self._sentence(document.end, _GREY)

    def _head(self) -> None:
        document = self._document
        self._use(_SMALL, colour=_GREY)
        self._sentence(document.network, _GREY)
        self._use(_TITLE, bold=True)
        self.multi_cell(self.epw, 7, document.title, align=Align.L, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        for line in document.about:
            self._sentence(line, _GREY)
        for note in document.notes:
            self._sentence(note, _NOTE)
        self.set_y(self.get_y() + 3)

    def _sentence(self, text: str, colour: str) -> None:
        """Write a sentence below what is drawn, on a new page where this one has no room."""
        self._use(_TEXT, colour=colour)
        for line in lines_of(text, self.epw, self.get_string_width):
            if self.get_y() + _LINE > self.h - _FOOT:
                self.add_page(same=True)
            self.cell(self.epw, _LINE, line, new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def _table(self, band: Band) -> None:
        document = self._document
        if self.get_y() + 6 * _LINE > self.h - _FOOT:
            self.add_page(same=True)
        self._row(band, document.headings, colour=_GREY)
        if document.total:
            self._row(band, document.total, bold=True, shade=True)
        for row in document.rows:
            self._row(band, row)
        if not document.rows:
            self._sentence(document.empty, _GREY)
        self.set_y(self.get_y() + 2)

    def _row(
        self, band: Band, texts: Sequence[str], *, bold: bool = False, shade: bool = False, colour: str = _INK
    ) -> None:
        """Draw a row; the headings are repeated where it begins a page."""
        self._use(_TEXT, bold=bold, colour=colour)
        cells = [
            lines_of(texts[place], width - 2 * PADDING, self.get_string_width)
            for place, width in zip(band.columns, band.widths, strict=True)
        ]
        height = max(map(len, cells)) * _LINE + 1.2
        if self.get_y() + height > self.h - _FOOT:
            self.add_page(same=True)
            self._row(band, self._document.headings, colour=_GREY)
            self._use(_TEXT, bold=bold, colour=colour)
        x, y = _MARGIN, self.get_y()
        if shade:
            self.set_fill_color(_SHADE)
            self.rect(x, y, sum(band.widths), height, style="F")
        for place, width, lines in zip(band.columns, band.widths, cells, strict=True):
            align = Align.L if place < self._document.names else Align.R
            for number, line in enumerate(lines):
                self.set_xy(x + PADDING, y + 0.6 + number * _LINE)
                self.cell(width - 2 * PADDING, _LINE, line, align=align)
            x += width
        self.set_draw_color(_RULE)
        self.line(_MARGIN, y + height, x, y + height)
        self.set_xy(_MARGIN, y + height)

    def _use(self, size: float, *, bold: bool = False, colour: str = _INK) -> None:
        self.set_font(_FONT, "B" if bold else "", size)
        self.c_margin = 0.0
        self.set_text_color(colour)

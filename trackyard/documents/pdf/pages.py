"""Draws a document on pages of A4 (docs/spec/documents.md#pdf).

Sizes are in millimetres; sizes of text are in points.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Final

from fpdf import FPDF
from fpdf.enums import Align, XPos, YPos
from fpdf.fonts import TTFFont

from trackyard.documents.content import PAGE, PAGES, Document, DocumentTable
from trackyard.documents.pdf.charts import draw_chart
from trackyard.documents.pdf.layout import PADDING, Band, bands_of, lines_of, natural_widths
from trackyard.documents.pdf.signs import Signs, with_known_signs
from trackyard.domain.platform.network import PRODUCT

_DATA: Final = Path(__file__).parent / "data"
_FONT: Final = "report"
_TEXT, _SMALL, _TITLE = 8.0, 7.0, 15.0
_LINE: Final = 4.2
_MARGIN: Final = 12.0
_FOOT: Final = 16.0
_GAP, _FIGURE, _SUM_LINE = 6.0, 28.0, 5.0
_LOGO, _LOGO_WIDEST = 14.0, 60.0
_PORTRAIT: Final = 210.0 - 2 * _MARGIN
_CHART: Final = _PORTRAIT
_INK, _GREY, _RULE, _SHADE, _NOTE = "#1b1c20", "#575a63", "#e7e6e1", "#f3f3f0", "#7d5200"
_COUNT: Final = "{nb}"
"""What the library replaces by the number of pages."""


def draw(document: Document, logo: bytes = b"") -> bytes:
    """Return a document as a PDF file. logo: a PNG or JPEG picture, empty = none."""
    return bytes(_DocumentFile(document, logo).output())


class _DocumentFile(FPDF):
    """The pages of a document."""

    def __init__(self, document: Document, logo: bytes) -> None:
        super().__init__(unit="mm", format="A4")
        for style, name in (("", "regular.ttf"), ("B", "bold.ttf")):
            self.add_font(_FONT, style, _DATA / name)
        font = self.fonts[_FONT]
        self._signs = Signs(font.cmap if isinstance(font, TTFFont) else ())
        self._document = with_known_signs(document, self._signs)
        self._logo = logo
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
        widths = [self._widths(table) for table in document.tables]
        is_wide = any(sum(each) > _PORTRAIT for each in widths)
        self.add_page(orientation="landscape" if is_wide else "portrait")
        self._head()
        self._parties()
        self._facts()
        for note in document.notes:
            self._sentence(note, _NOTE)
        self.set_y(self.get_y() + 3)
        if document.chart:
            self._use(_SMALL)
            height = draw_chart(self, document.chart, self._signs, (_MARGIN, self.get_y()), min(self.epw, _CHART))
            self.set_y(self.get_y() + height + 4)
        for table, natural in zip(document.tables, widths, strict=True):
            if table.title:
                self._sentence(table.title, _INK, bold=True)
            for number, band in enumerate(bands_of(natural, table.names, self.epw)):
                if number:
                    self.add_page(same=True)
                self._table(table, band)
            self._sums(table)
        for sentence in document.end:
            self._sentence(sentence, _GREY)

    def _widths(self, table: DocumentTable) -> list[float]:
        texts = [table.total, *table.rows] if table.total else table.rows
        return natural_widths(texts, table.headings, self.get_string_width)

    def _head(self) -> None:
        document = self._document
        if self._logo:
            self.image(BytesIO(self._logo), x=_MARGIN, y=self.get_y(), h=_LOGO, w=_LOGO_WIDEST, keep_aspect_ratio=True)
            self.set_y(self.get_y() + _LOGO + 3)
        self._use(_SMALL, colour=_GREY)
        self._sentence(document.network, _GREY)
        self._use(_TITLE, bold=True)
        self.multi_cell(self.epw, 7, document.title, align=Align.L, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        for line in document.about:
            self._sentence(line, _GREY)

    def _parties(self) -> None:
        """Draw the companies next to each other."""
        parties = self._document.parties
        if not parties:
            return
        top = bottom = self.get_y() + 4
        width = self.epw / len(parties)
        for place, party in enumerate(parties):
            left = _MARGIN + place * width
            self.set_y(top)
            self._lines_at(left, width - _GAP, party.heading, colour=_GREY)
            for number, line in enumerate(party.lines):
                self._lines_at(left, width - _GAP, line, bold=not number)
            bottom = max(bottom, self.get_y())
        self.set_y(bottom)

    def _lines_at(self, x: float, width: float, text: str, *, bold: bool = False, colour: str = _INK) -> None:
        """Write a text below what is drawn, in lines that begin at a place of the page."""
        self._use(_TEXT, bold=bold, colour=colour)
        for line in lines_of(text, width, self.get_string_width):
            self.set_x(x)
            self.cell(width, _LINE, line, new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def _facts(self) -> None:
        """Draw labels and values below each other."""
        facts = self._document.facts
        if not facts:
            return
        self._use(_TEXT, colour=_GREY)
        width = min(max(self.get_string_width(label) for label, _ in facts) + 4, self.epw / 2)
        self.set_y(self.get_y() + 4)
        for label, value in facts:
            top = self.get_y()
            self._lines_at(_MARGIN, width, label, colour=_GREY)
            below = self.get_y()
            self.set_y(top)
            self._lines_at(_MARGIN + width, self.epw - width, value)
            self.set_y(max(below, self.get_y()))

    def _sentence(self, text: str, colour: str, *, bold: bool = False) -> None:
        """Write a sentence below what is drawn, on a new page where this one has no room."""
        self._use(_TEXT, bold=bold, colour=colour)
        for line in lines_of(text, self.epw, self.get_string_width):
            if self.get_y() + _LINE > self.h - _FOOT:
                self.add_page(same=True)
            self.cell(self.epw, _LINE, line, new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def _table(self, table: DocumentTable, band: Band) -> None:
        if self.get_y() + 6 * _LINE > self.h - _FOOT:
            self.add_page(same=True)
        self._row(table, band, table.headings, colour=_GREY)
        if table.total:
            self._row(table, band, table.total, bold=True, shade=True)
        for row in table.rows:
            self._row(table, band, row)
        if not table.rows:
            self._sentence(table.empty, _GREY)
        self.set_y(self.get_y() + 2)

    def _sums(self, table: DocumentTable) -> None:
        """Draw the lines below the rows at the right, all on one page."""
        if not table.sums:
            return
        if self.get_y() + len(table.sums) * _SUM_LINE > self.h - _FOOT:
            self.add_page(same=True)
        for number, (label, figure) in enumerate(table.sums, 1):
            self._use(_TEXT, bold=number == len(table.sums))
            wide = max(self.get_string_width(figure) + 2 * PADDING, _FIGURE)
            self.set_x(_MARGIN)
            self.cell(self.epw - wide, _SUM_LINE, label, align=Align.R)
            self.cell(wide, _SUM_LINE, figure, align=Align.R, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.set_y(self.get_y() + 3)

    def _row(
        self,
        table: DocumentTable,
        band: Band,
        texts: Sequence[str],
        *,
        bold: bool = False,
        shade: bool = False,
        colour: str = _INK,
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
            self._row(table, band, table.headings, colour=_GREY)
            self._use(_TEXT, bold=bold, colour=colour)
        x, y = _MARGIN, self.get_y()
        if shade:
            self.set_fill_color(_SHADE)
            self.rect(x, y, sum(band.widths), height, style="F")
        for place, width, lines in zip(band.columns, band.widths, cells, strict=True):
            align = Align.L if place < table.names else Align.R
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

"""Small spreadsheets (XLSX), as programs for tables write them."""

from collections.abc import Sequence
from io import BytesIO
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_DAY_STYLE = '<styleSheet xmlns="{}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>'


def sheet_xml(rows: Sequence[Sequence[str | int | float | None]]) -> str:
    """Return a sheet. A value that starts with "day:" is a day or time by its serial number."""
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(map(_row, rows))}</sheetData></worksheet>'


def _row(values: Sequence[str | int | float | None]) -> str:
    return f"<row>{''.join(map(_cell, values))}</row>"


def _cell(value: str | int | float | None) -> str:
    if value is None:
        return "<c/>"
    if not isinstance(value, str):
        return f"<c><v>{value}</v></c>"
    if value.startswith("day:"):
        return f'<c s="1"><v>{value[4:]}</v></c>'
    return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def book(**sheets: str) -> bytes:
    """Return a spreadsheet with sheets by their names."""
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as archive:
        parts = [("officeDocument", "xl/workbook.xml")]
        archive.writestr("_rels/.rels", _relations(parts))
        named = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(sheets, 1))
        archive.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{named}</sheets></workbook>'
        )
        targets = [("worksheet", f"worksheets/sheet{n}.xml") for n, _ in enumerate(sheets, 1)]
        archive.writestr("xl/_rels/workbook.xml.rels", _relations([*targets, ("styles", "styles.xml")]))
        archive.writestr("xl/styles.xml", _DAY_STYLE.format(_MAIN))
        for number, text in enumerate(sheets.values(), 1):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", text)
    return written.getvalue()


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    each = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{each}</Relationships>'

"""The cells of lists as HTML (docs/spec/console.md#lists).

A page has hundreds of cells, and a macro costs many times as much as a function: only what rows can do, and cells with
a template of their own, are macros (`list_cells.html`).
"""

from collections.abc import Callable, Iterable
from typing import Final
from zoneinfo import ZoneInfo

from markupsafe import Markup, escape

from trackyard.base.texts.marks import gettext
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.shown import MoneyText
from trackyard.console.lists.cells import NOTHING, ListCell, PageLink
from trackyard.console.lists.declared import AnyColumn

_RIGHT: Final = ("figure", "act")
_OTHER_SITES: Final = ("https://", "http://")
_TIME: Final = len("2026-11-21 14:32:07")
_LONGEST_LINE: Final = 300
_LONGEST_LINK: Final = 160

MayOpen = Callable[[str], bool]


class CellDrawer:
    """Makes the cells of one page.

    may_open: returns whether the person may open the page of a path.
    more: returns the HTML of the buttons and the template of a cell.
    source: the zone of the times in the answer. zone: of the person.
    """

    def __init__(self, may_open: MayOpen, more: Callable[[ListCell], str], source: ZoneInfo, zone: ZoneInfo) -> None:
        self._may_open, self._more = may_open, more
        self._source, self._zone = source, zone
        self._opens = dict[str, bool]()
        self._tags = dict[int, tuple[str, str]]()

    def row(self, cells: Iterable[tuple[AnyColumn, ListCell]]) -> Markup:
        """Return the cells of a row."""
        return Markup("".join([self._cell(column, cell) for column, cell in cells]))  # noqa: S704 (escaped below)

    def _cell(self, column: AnyColumn, cell: ListCell) -> str:
        begin, end = self._tags_of(column)
        below = "".join([self._line(each) for each in cell.below]) if cell.below else ""
        more = self._more(cell) if cell.acts or cell.part else ""
        return f"{begin}{self._words(column, cell)}{below}{more}{end}"

    def _tags_of(self, column: AnyColumn) -> tuple[str, str]:
        found = self._tags.get(id(column))
        if found is None:
            name, scope = ("th", ' scope="row"') if column.role == "title" else ("td", "")
            right = " r" if column.role in _RIGHT else ""
            label = "" if column.is_hidden_title else f' data-label="{escape(column.title)}"'
            found = f'<{name}{scope} class="{column.role}{right}"{label}>', f"</{name}>\n"
            self._tags[id(column)] = found
        return found

    def _words(self, column: AnyColumn, cell: ListCell) -> str:
        """Return the text of a cell with its reason."""
        text = cell.text
        if cell.at:
            text = shown.moment(cell.at, self._source, self._zone)[:_TIME]
        found = self._text(column, cell, text)
        if not cell.why:
            return found
        of = f'<span class="hidden">{escape(cell.why_of)}</span> ' if cell.why_of else ""
        sheet = f'<div class="sheet"><p>{escape(cell.why)}</p></div>'
        return f'{found} <details class="menu why"><summary>{of}{escape(gettext("why?"))}</summary>{sheet}</details>'

    def _text(self, column: AnyColumn, cell: ListCell, text: str) -> str:
        if cell.mark:
            return f'<span class="status {escape(cell.mark)}">{escape(text)}</span>'
        if cell.is_gone:
            return f'<s class="second">{escape(text)}</s>'
        if cell.is_code and text:
            return f"<code>{escape(text)}</code>"
        if cell.tags:
            return " ".join(f'<span class="tag">{escape(each)}</span>' for each in cell.tags)
        if not text:
            return "" if cell.acts or cell.part else NOTHING
        words = f'<time class="time">{escape(text)}</time>' if cell.at else _shortened(text, column.longest)
        link = str(cell.link) if cell.link else ""
        if link and self._is_open(cell.link):
            kind = "counted" if column.role == "figure" else "name"
            # A link without words, such as a count, is named by its column.
            name = "" if cell.has_words else f' aria-label="{escape(column.title)}: {escape(str(text))}"'
            return f'<a class="{kind}" href="{escape(link)}"{name}>{words}</a>'
        if cell.at:
            return words
        if link.startswith(_OTHER_SITES):
            foreign = '<a class="name" rel="noopener noreferrer nofollow" target="_blank" href='
            return f'{foreign}"{escape(link)}">{words}</a>'
        return f'<span class="name">{words}</span>'

    def _line(self, line: str | PageLink) -> str:
        """Return a smaller line below the text."""
        if not isinstance(line, PageLink):
            return f'<small class="name">{escape(shown.shorten(line, _LONGEST_LINE))}</small>'
        words = escape(shown.shorten(line.text, _LONGEST_LINK))
        tone = f" {escape(line.tone)}" if line.tone else ""
        if line.to and self._is_open(line.to):
            about = f' aria-label="{escape(line.about)}"' if line.about else ""
            words = Markup(f'<a href="{escape(str(line.to))}"{about}>{words}</a>')  # noqa: S704 (its parts are escaped)
        return f'<small class="name{tone}">{words}</small>'

    def _is_open(self, to: str | PageAddress) -> bool:
        path = to.path if isinstance(to, PageAddress) else to.partition("?")[0]
        found = self._opens.get(path)
        if found is None:
            found = self._opens[path] = self._may_open(path)
        return found


def _shortened(text: str, longest: int) -> str:
    """Return a text for people. An amount keeps its exact value, which is shown on hover."""
    return str(escape(text if isinstance(text, MoneyText) else shown.shorten(text, longest)))

"""Guides: pages of prose, tables and examples, as Markdown for docs and as HTML for /docs.

Texts are Markdown in a line: `code` and [links](page.md#heading). A paragraph that begins with "- " is a list.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

_INLINE = re.compile(r"`(?P<code>[^`]+)`|\[(?P<title>[^\]]+)\]\((?P<target>[^)\s]+)\)")
_GUIDE_LINK = re.compile(r"(?:(?P<guide>[\w-]+)\.md)?(?:#(?P<heading>[\w-]+))?")


@dataclass(frozen=True, slots=True)
class GuideText:
    """Paragraphs and lists, with empty lines between them."""

    text: str


@dataclass(frozen=True, slots=True)
class GuideTable:
    """A table. Every row has as many cells as the head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class GuideCode:
    """Code that is shown as it is, to be copied. language: of its colours, such as sh."""

    language: str
    text: str


GuideBlock = GuideText | GuideTable | GuideCode


@dataclass(frozen=True, slots=True)
class GuideSection:
    """A heading and the content below it. title: unique in its guide."""

    title: str
    blocks: tuple[GuideBlock, ...]

    @property
    def anchor(self) -> str:
        """Return the end of the section's address, as Markdown pages have it."""
        return re.sub(r"[^\w\- ]", "", self.title.lower()).replace(" ", "-")

    @property
    def markdown(self) -> str:
        """Return the section as Markdown, its heading included."""
        return "\n\n".join([f"## {self.title}", *map(_block_markdown, self.blocks)])


@dataclass(frozen=True, slots=True)
class Guide:
    """A page. name: of its file without .md; intro: the text before the first section."""

    name: str
    title: str
    intro: str
    sections: tuple[GuideSection, ...]

    @property
    def markdown(self) -> str:
        """Return the page as Markdown."""
        return "\n\n".join([f"# {self.title}", self.intro, *(section.markdown for section in self.sections)]) + "\n"

    def anchor_of(self, section: GuideSection | None = None) -> str:
        """Return the id of a section, or of the page itself, in an HTML page with several guides."""
        return _html_anchor(self.name, "" if section is None else section.anchor)

    def intro_html(self) -> str:
        """Return the text before the first section as HTML."""
        return "".join(_text_html(self.intro, self.name))

    def section_html(self, section: GuideSection) -> str:
        """Return the content of a section without its heading, as HTML.

        It has only the elements p, ul, table, pre, code and a. Links to sections of guides lead to `anchor_of`; the
        titles of links to other pages of docs are shown without a link.
        """
        return "".join(part for block in section.blocks for part in _block_html(block, self.name))

    def search_text(self, section: GuideSection) -> str:
        """Return the words by which a search finds a section, in lower case."""
        return f"{self.title}\n{section.markdown}".lower()


def _block_markdown(block: GuideBlock) -> str:
    match block:
        case GuideText():
            return block.text
        case GuideTable():
            return "\n".join(_table_lines(block))
        case GuideCode():
            return f"```{block.language}\n{block.text.rstrip()}\n```"


def _table_lines(table: GuideTable) -> Iterator[str]:
    yield _markdown_row(table.head)
    yield "|" + "---|" * len(table.head)
    for row in table.rows:
        if len(row) != len(table.head):
            raise ValueError(f"{row} has not {len(table.head)} cells")
        yield _markdown_row(row)


def _markdown_row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _block_html(block: GuideBlock, guide: str) -> Iterator[str]:
    match block:
        case GuideText():
            yield from _text_html(block.text, guide)
        case GuideTable():
            head = "".join(f"<th>{_inline_html(cell, guide)}</th>" for cell in block.head)
            yield f"<table><tr>{head}</tr>"
            for row in block.rows:
                yield f"<tr>{''.join(f'<td>{_inline_html(cell, guide)}</td>' for cell in row)}</tr>"
            yield "</table>"
        case GuideCode():
            yield f"<pre><code>{escape(block.text.rstrip())}</code></pre>"


def _text_html(text: str, guide: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        if paragraph.startswith("- "):
            items = re.split(r"^- ", paragraph, flags=re.MULTILINE)[1:]
            yield f"<ul>{''.join(f'<li>{_inline_html(item, guide)}</li>' for item in items)}</ul>"
        else:
            yield f"<p>{_inline_html(paragraph, guide)}</p>"


def _inline_html(text: str, guide: str) -> str:
    parts, end = [], 0
    for found in _INLINE.finditer(text):
        parts.append(escape(text[end : found.start()]))
        parts.append(_code_or_link(found, guide))
        end = found.end()
    return "".join([*parts, escape(text[end:])])


def _code_or_link(found: re.Match[str], guide: str) -> str:
    if found["code"] is not None:
        return f"<code>{escape(found['code'])}</code>"
    title, target = _inline_html(found["title"], guide), found["target"]
    if target.startswith("https://"):
        return f'<a href="{escape(target)}">{title}</a>'
    own = _GUIDE_LINK.fullmatch(target)
    return (
        title if own is None else f'<a href="#{_html_anchor(own["guide"] or guide, own["heading"] or "")}">{title}</a>'
    )


def _html_anchor(guide: str, heading: str) -> str:
    return f"guide-{guide}" + (f"-{heading}" if heading else "")

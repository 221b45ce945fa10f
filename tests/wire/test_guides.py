"""Guides are the same as Markdown and as HTML."""

import pytest

from trackyard.wire.openapi.guides import Guide, GuideCode, GuideSection, GuideTable, GuideText

SECTION = GuideSection(
    "Macros of offers: all",
    (
        GuideText(
            "One `a<b` and [two](#macros), [three](other.md#x), [four](../spec/x.md).\n\n- first\n- second & last"
        ),
        GuideTable(("name", "text"), (("`{sub1}`", "a | b"),)),
        GuideCode("sh", "curl 'http://x/?a=1&b=2'\n"),
    ),
)
GUIDE = Guide("page", "A page", "Begin `here`.", (SECTION,))


def test_guide_markdown_has_headings_tables_and_code() -> None:
    assert GUIDE.markdown == (
        "# A page\n\nBegin `here`.\n\n## Macros of offers: all\n\n"
        "One `a<b` and [two](#macros), [three](other.md#x), [four](../spec/x.md).\n\n- first\n- second & last\n\n"
        "| name | text |\n|---|---|\n| `{sub1}` | a \\| b |\n\n```sh\ncurl 'http://x/?a=1&b=2'\n```\n"
    )


def test_guide_html_escapes_texts_and_links_to_its_sections() -> None:
    assert GUIDE.section_html(SECTION) == (
        '<p>One <code>a&lt;b</code> and <a href="#guide-page-macros">two</a>, '
        '<a href="#guide-other-x">three</a>, four.</p>'
        "<ul><li>first\n</li><li>second &amp; last</li></ul>"
        "<table><tr><th>name</th><th>text</th></tr><tr><td><code>{sub1}</code></td><td>a | b</td></tr></table>"
        "<pre><code>curl &#x27;http://x/?a=1&amp;b=2&#x27;</code></pre>"
    )
    assert GUIDE.anchor_of(SECTION) == "guide-page-macros-of-offers-all"
    assert (GUIDE.anchor_of(), GUIDE.intro_html()) == ("guide-page", "<p>Begin <code>here</code>.</p>")


def test_guide_search_finds_title_page_and_words() -> None:
    assert all(word in GUIDE.search_text(SECTION) for word in ("a page", "macros", "{sub1}", "curl"))


def test_guide_row_of_another_width_is_an_error() -> None:
    section = GuideSection("T", (GuideTable(("one", "two"), (("1",),)),))
    with pytest.raises(ValueError, match="2 cells"):
        section.markdown  # noqa: B018

"""Mails in HTML: one frame under the network's name, with escaped values (docs/spec/platform.md#mail)."""

import re
from html.parser import HTMLParser

from trackyard.domain.platform.mails.frame import MailLook, framed, look_of, write_content
from trackyard.domain.platform.mails.values import MailLink, MailList
from trackyard.domain.platform.network import Network

MARKUP = '<script>alert("1")</script>'
BASE = "https://network.example"


def look(**values: str) -> MailLook:
    return look_of(Network(**values), BASE)  # type: ignore[arg-type]


def test_frame_has_the_name_the_logo_and_the_accents_of_the_network() -> None:
    shown = look(name="Harbour & Sons", accent="#0b6e5f", logo="abc")
    page = framed(shown, "Title", "<p>content</p>", "Why", "es")
    assert '<html lang="es">' in page and "<p>content</p>" in page and "Why" in page
    assert 'src="https://network.example/files/abc" alt="Harbour &amp; Sons"' in page
    assert "border-top:3px solid #0b6e5f" in page and shown.accent_dark in page
    assert "max-width:600px" in page and "prefers-color-scheme:dark" in page and "color-scheme:light dark" in page


def test_frame_of_a_network_without_a_logo_has_its_name_as_text() -> None:
    page = framed(look(name="Harbour"), "Title", "", "", "en")
    assert "<img" not in page and ">Harbour</span>" in page
    assert look_of(Network(logo="abc"), "").logo == ""


def test_values_and_titles_of_a_mail_are_escaped() -> None:
    values = {"name": MARKUP, "offer": MailLink(MARKUP, f'{BASE}/"{MARKUP}'), "link": f'{BASE}/"{MARKUP}'}
    template = "Hello {name},\n\n{offer}\n\nSee {offer} & {name}\n\n{name}\n\n{link}\n"
    page = framed(look(name=MARKUP), MARKUP, write_content(template, MARKUP, values, look()), MARKUP, "en")
    assert "<script" not in page and page.count("&lt;script&gt;") > 10


def test_link_alone_in_a_paragraph_is_the_button_which_else_ends_the_mail() -> None:
    values = {"name": "Ann", "link": f"{BASE}/x"}
    within = write_content("Hello {name},\n\n{link}\n\nAfter it.\n", "Go on", values, look())
    behind = write_content("Hello {name},\n\nAfter it.\n", "Go on", values, look())
    assert within.count("Go on") == behind.count("Go on") == 1
    assert within.index("Go on") < within.index("After it.") and behind.index("Go on") > behind.index("After it.")
    assert f'href="{BASE}/x"' in within and "Go on" not in write_content("Hello {name},\n", "", values, look())


def test_things_of_a_list_are_lines_with_their_links() -> None:
    values = {"offers": MailList([MailLink("#1 Shoes", f"{BASE}/1"), MailLink("#2 Hats")])}
    content = write_content("{offers}\n", "", values, look())
    assert content.count("<li") == 2 and f'<a href="{BASE}/1"' in content and content.count("<a ") == 1


def test_elements_of_a_mail_are_closed() -> None:
    class Open(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.names: list[str] = []

        def handle_starttag(self, tag: str, _attributes: object) -> None:
            if tag not in ("meta", "br", "img"):
                self.names.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.names.pop() == tag

    values = {"name": "Ann", "offers": MailList([MailLink("#1", BASE)]), "reason": "a\nb", "link": BASE}
    content = write_content("Hello {name},\n\n{offers}\n\n{reason}\n\nA: {name}\nB: {name}\n", "Go", values, look())
    reader = Open()
    reader.feed(framed(look(logo="x"), "T", content, "W", "en"))
    assert reader.names == [] and not re.search(r"\bclass=\"[^\"]*\"[^>]*\bclass=", content)

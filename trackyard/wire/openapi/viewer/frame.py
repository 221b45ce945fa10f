"""What every page of /docs has: the head, the bar and the menu, and the first page."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from trackyard.wire.endpoint import VERSIONS, Endpoint, Topic
from trackyard.wire.openapi.guides import Guide
from trackyard.wire.openapi.tables import document_path
from trackyard.wire.openapi.viewer.html import method_mark, prose

_CURRENT: Final = ' aria-current="true"'
NEWEST: Final = VERSIONS[-1]


def summary_of(endpoint: Endpoint[object]) -> str:
    """Return the first sentence about a method, without its full stop."""
    first = " ".join(endpoint.text.partition("\n\n")[0].split())
    sentence, _, _ = first.partition(". ")
    return sentence.rstrip(".")


def page(*, title: str, prefix: str, menu: str, main: str, assets: str, here: str) -> str:
    """Return a whole page.

    assets: the URL of styles and scripts. here: the URL of the page, behind its version.
    """
    versions = "".join(
        f'<a href="/docs/{each}{here}"{_CURRENT if each == prefix else ""}>{each}</a>' for each in reversed(VERSIONS)
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<title>{escape(title)}</title><link rel="icon" href="data:,">'
        f'<link rel="stylesheet" href="{assets}/docs.css">'
        f'<script type="module" src="{assets}/docs.js"></script></head>'
        f'<body data-version="{prefix}"><header class="bar">'
        '<button type="button" id="menu-button" aria-controls="menu" aria-expanded="false" aria-label="Menu">'
        "☰</button>"
        f'<a class="brand" href="/docs/{prefix}">Trackyard API</a>'
        '<input id="search" type="search" placeholder="Search methods, parameters, fields, guides   /" '
        'aria-label="Search" autocomplete="off" spellcheck="false">'
        f'<nav class="versions" aria-label="Version">{versions}</nav>'
        '<button type="button" id="theme" aria-label="Light or dark">◐</button></header>'
        f'<nav id="menu" aria-label="Methods">{menu}</nav><section id="results" aria-live="polite" hidden></section>'
        f'<main id="main" tabindex="-1">{main}</main></body></html>'
    )


def menu(topics: Iterable[Topic], guides: Iterable[Guide], prefix: str, here: str) -> str:
    """Return the menu: guides, then methods by topic. here: the page, behind its version."""
    guide_links = "".join(_link(prefix, f"/guides/{guide.name}", escape(guide.title), here) for guide in guides)
    parts = [f"<details open><summary>Guides</summary>{guide_links}</details>"]
    for topic in topics:
        methods = [each for each in topic.endpoints if prefix in each.versions]
        links = "".join(
            _link(prefix, f"/{each.id}", method_mark(each.method) + f"<span>{prose(summary_of(each))}</span>", here)
            for each in methods
        )
        opened = " open" if any(here == f"/{each.id}" for each in methods) else ""
        if methods:
            parts.append(f"<details{opened}><summary>{escape(topic.title)}</summary>{links}</details>")
    return "".join(parts)


def _link(prefix: str, place: str, text: str, here: str) -> str:
    current = ' aria-current="page"' if place == here else ""
    return f'<a href="/docs/{prefix}{place}"{current}>{text}</a>'


def home(topics: Iterable[Topic], guides: Sequence[Guide], prefix: str, version: str, introduction: str) -> str:
    """Return the main part of the first page: every guide, and every method by topic."""
    documents = {"both versions": "/openapi.json"} | {f"/{each}": document_path(each) for each in VERSIONS}
    links = " · ".join(f'<a href="{path}">{name}</a>' for name, path in documents.items())
    cards = "".join(
        f'<a class="card" href="/docs/{prefix}/guides/{guide.name}"><b>{escape(guide.title)}</b>'
        f"<span>{prose(guide.intro)}</span></a>"
        for guide in guides
    )
    parts = [_topic(topic, prefix) for topic in topics if any(prefix in each.versions for each in topic.endpoints)]
    return (
        f'<article class="home"><h1>Trackyard API {prefix}</h1><p class="faint">Trackyard {escape(version)}</p>'
        f"<p>{prose(introduction)}</p><p>OpenAPI documents: {links}</p>"
        f'<h2>Guides</h2><div class="cards">{cards}</div><h2>Methods</h2>{"".join(parts)}</article>'
    )


def _topic(topic: Topic, prefix: str) -> str:
    rows = "".join(
        f'<li><a href="/docs/{prefix}/{each.id}">{method_mark(each.method)}<code>{escape(each.path)}</code>'
        f"<span>{prose(summary_of(each))}</span></a></li>"
        for each in topic.endpoints
        if prefix in each.versions
    )
    return f'<section id="{topic.name}"><h3>{escape(topic.title)}</h3><ul class="methods">{rows}</ul></section>'


def guide_page(guide: Guide, names: Iterable[str], prefix: str) -> str:
    """Return the main part of the page of a guide. names: all guides by name; the page may link to them."""
    contents = "".join(
        f'<li><a href="#{guide.anchor_of(section)}">{escape(section.title)}</a></li>' for section in guide.sections
    )
    sections = "".join(
        f'<section><h2 id="{guide.anchor_of(section)}">{escape(section.title)}</h2>'
        f"{guide.section_html(section)}</section>"
        for section in guide.sections
    )
    html = (
        f'<article class="guide"><h1 id="{guide.anchor_of()}">{escape(guide.title)}</h1>{guide.intro_html()}'
        f'<details class="contents" open><summary>On this page</summary><ul>{contents}</ul></details>'
        f"{sections}</article>"
    )
    for name in names:
        if name != guide.name:  # it is another page
            html = re.sub(f'href="#(guide-{re.escape(name)}[-"])', rf'href="/docs/{prefix}/guides/{name}#\1', html)
    return html.replace("ADDRESS", '<span class="origin">ADDRESS</span>')

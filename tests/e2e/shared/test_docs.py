"""/docs of a running program: in a browser, and its examples as they are written."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from tests.support.browser import BrowserTab, browser_tab
from tests.support.processes.program import KEY, RunningProgram, request

ADVERTISER = "6553f100000000000000000b"
"""The one of the examples."""


@pytest.fixture(scope="module")
def tab(program: RunningProgram, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserTab]:
    with browser_tab(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def example(program: RunningProgram, name: str, language: str, advertiser: str) -> str:
    """Return an example as a person copies it, with address, key and advertiser filled in."""
    page = request(program.api_port, "GET", f"/docs/3.1/{name}").body.decode()
    [shown] = re.findall(rf'<pre data-language="{language}"><code>(.*?)</code></pre>', page, re.DOTALL)
    text = unescape(re.sub(r"</?span[^>]*>", "", shown))
    address = f"http://127.0.0.1:{program.api_port}"
    return (
        text.replace("ADDRESS", address)
        .replace("KEY'", f"{KEY}'")
        .replace('"KEY"', f'"{KEY}"')
        .replace(ADVERTISER, advertiser)
    )


@pytest.mark.parametrize(
    ("name", "shows"),
    [
        ("admin.advertisers.list", "advertisers"),  # GET without parameters
        ("stats.custom", "stats"),  # GET with names in brackets and a list
        ("admin.category.add", "category"),  # POST of a form
        ("admin.offer.add", "offer"),  # POST with nested names
        ("admin.advertiser.signing-secret.remove", "message"),  # DELETE with an id in its path
    ],
)
def test_docs_example_runs_as_written(program: RunningProgram, tab: BrowserTab, name: str, shows: str) -> None:
    advertiser = program.api("POST", "/3.1/admin/advertiser", {"title": "Shop"})["advertiser"]["id"]
    run = {"curl": ["bash", "-c"], "Python": [sys.executable, "-c"]}
    for language, command in run.items():
        program.api("POST", f"/3.1/admin/advertiser/{advertiser}/signing-secret")
        text = example(program, name, language, advertiser)
        done = subprocess.run([*command, text], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, (text, done.stderr)
        assert f'"{shows}"' in done.stdout.replace("'", '"') and "error" not in done.stdout, (text, done.stdout)
    tab.open(f"http://127.0.0.1:{program.api_port}/docs/3.1/{name}")
    program.api("POST", f"/3.1/admin/advertiser/{advertiser}/signing-secret")
    code = example(program, name, "JavaScript", advertiser).replace("console.log(answer.status, ", "return (")
    answer = tab.run(f"(async () => {{ {code} }})()")
    assert shows in answer and "error" not in answer, answer


def search(tab: BrowserTab, words: str) -> None:
    """Type words into the search."""
    tab.run(f"""
        document.getElementById("search").value = {json.dumps(words)};
        document.getElementById("search").dispatchEvent(new Event("input"));
    """)
    tab.wait("!document.querySelector('#results').hidden && !document.body.textContent.includes('Searching …')")


def results(tab: BrowserTab) -> Any:
    """Return what a search shows: headings, and addresses of links."""
    return tab.run("""({
        headings: [...document.querySelectorAll("#results h2")].map((each) => each.textContent),
        empty: [...document.querySelectorAll("#results section")].filter((each) => !each.querySelector("a")).length,
        links: [...document.querySelectorAll("#results a")]
            .map((each) => each.pathname + decodeURIComponent(each.hash)),
        text: document.getElementById("results").textContent,
    })""")


def test_docs_search_finds_methods_parameters_fields_and_guides(program: RunningProgram, tab: BrowserTab) -> None:
    tab.resize(1280, 900)
    tab.open(f"http://127.0.0.1:{program.api_port}/docs")
    tab.press("/")
    assert tab.run("document.activeElement.id") == "search", "/ goes to the search"
    for words, link in (
        ("postback", "/docs/3.1/partner.postback.add"),
        ("macro", "/docs/3.1/admin.offer.add#p-macro_url"),
        ("is_redirect_overcap", "/docs/3.1/admin.offer.add#p-is_redirect_overcap"),
        ("pagination total_count", "/docs/3.1/admin.advertisers.list#a-pagination.total_count"),
        ("/stats/custom", "/docs/3.1/stats.custom"),
        ("POST admin/category", "/docs/3.1/admin.category.add"),
        ("idempotency", "/docs/3.1/guides/idempotency"),
    ):
        search(tab, words)
        found = results(tab)
        assert link in [each.partition("#guide")[0] for each in found["links"]], (words, found["links"])
        assert found["headings"] and not found["empty"]
    search(tab, "zzqq postback")
    found = results(tab)
    assert (found["headings"], found["links"]) == ([], []) and "Nothing found" in found["text"]
    search(tab, "is_redirect_overcap")
    tab.run("""document.querySelector('#results a[href$="admin.offer.add#p-is_redirect_overcap"]').click()""")
    assert tab.wait("document.querySelector('.target')?.id") == "p-is_redirect_overcap"
    assert tab.run("document.getElementById('results').hidden && location.pathname") == "/docs/3.1/admin.offer.add"
    assert tab.complaints() == []


def send(tab: BrowserTab) -> None:
    tab.run("document.querySelector('.trial button.main').click()")


def test_docs_try_it_sends_request_and_keeps_key_in_page(program: RunningProgram, tab: BrowserTab) -> None:
    address = f"http://127.0.0.1:{program.api_port}"
    tab.open(f"{address}/docs/3.1/admin.category.add")
    tab.run(f"""
        const key = document.querySelector(".trial .key");
        key.value = "{KEY}";
        key.dispatchEvent(new Event("input"));
        document.querySelector(".row .value").value = "Shoes & more";
    """)
    send(tab)
    assert tab.wait("document.querySelector('.trial .good')?.textContent").startswith("200")
    assert "Shoes & more" in tab.run("document.querySelector('.trial output').textContent")
    assert "Shoes & more" in [each["title"] for each in program.api("GET", "/3.1/offer/categories")["categories"]]

    tab.run("document.querySelector('a[href=\"/docs/3.1/admin.advertiser.signing-secret.remove\"]').click()")
    tab.wait("document.querySelector('h1').textContent.startsWith('Remove the signing secret')")
    assert tab.run("document.querySelector('.trial .key').value") == KEY, "the page was not loaded again"
    before = len(tab.requested())
    send(tab)
    assert "/signing-secret" in tab.wait("document.querySelector('dialog[open] code')?.textContent")
    tab.run("document.querySelector('dialog button:not(.danger)').click()")
    assert not [each for each in tab.requested()[before:] if "/docs" not in each], "nothing was sent"
    send(tab)
    tab.wait("!!document.querySelector('dialog[open]')")
    tab.run("document.querySelector('dialog button.danger').click()")
    assert tab.wait("document.querySelector('.trial .bad')?.textContent").startswith("404")

    stored = tab.run("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])")
    assert KEY not in stored and not [each for each in tab.requested() if KEY in each]
    assert all(each.startswith((address, "data:")) for each in tab.requested()[before:])
    tab.open(f"{address}/docs/3.1/admin.category.add")
    assert tab.run("document.querySelector('.trial .key').value") == "", "a new page does not know the key"
    assert [each for each in tab.complaints() if "404" not in each] == []


@pytest.mark.parametrize("width", [360, 900, 1280, 1800])
def test_docs_column_of_parameters_breaks_no_name_and_no_type(
    program: RunningProgram, tab: BrowserTab, width: int
) -> None:
    tab.resize(width, 800)
    tab.open(f"http://127.0.0.1:{program.api_port}/docs/3.1/admin.offer.add")
    tab.run("document.querySelectorAll('[data-open-all]').forEach((each) => each.click())")
    shown = "[...document.querySelectorAll('.fields .name code, .fields .kind')].filter(each => each.checkVisibility())"
    assert tab.run(f"{shown}.length") > 300
    broken = f"{shown}.filter(each => new Set([...each.getClientRects()].map(part => part.y)).size > 1)"
    assert tab.run(f"{broken}.map(each => each.textContent)") == []
    assert tab.run("document.documentElement.scrollWidth") <= width


def test_docs_page_fits_a_phone(program: RunningProgram, tab: BrowserTab) -> None:
    for dark in (False, True):
        tab.resize(360, 800, dark=dark)
        tab.open(
            f"http://127.0.0.1:{program.api_port}/docs/3.1/admin.offer.add#p-commission_tiers[0][modifier_payment_type]"
        )
        assert tab.run("getComputedStyle(document.getElementById('menu')).display") == "none"
        assert tab.run("document.documentElement.scrollWidth") <= 360
        assert tab.run("document.querySelector('.target').getBoundingClientRect().top") < 800
    tab.run("document.getElementById('menu-button').click()")
    assert tab.run("getComputedStyle(document.getElementById('menu')).display") == "block"
    tab.run("document.querySelector('.versions a[href=\"/docs/3.0/admin.offer.add\"]').click()")
    tab.wait("location.pathname === '/docs/3.0/admin.offer.add' && document.body.dataset.version === '3.0'")
    assert "/3.0/admin/offer" in tab.run("document.querySelector('.address').textContent")


def test_docs_page_is_quick(program: RunningProgram) -> None:
    sizes = {}
    for path in ("/docs", "/docs/3.1/admin.offer.add"):
        request(program.api_port, "GET", path)
        answer = request(program.api_port, "GET", path, headers={"Accept-Encoding": "gzip"})
        sizes[path] = len(answer.body)
    assert all(size < 40_000 for size in sizes.values()), sizes

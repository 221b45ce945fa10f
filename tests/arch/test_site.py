"""The documents build as a site (script/site), with every page two links from the first."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("site")
    line = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(directory)]
    done = subprocess.run(
        line, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return directory


def links_of(page: Path, site: Path) -> set[str]:
    """Return the pages of the site that a page links to, by their paths."""
    here = page.relative_to(site).as_posix()
    found = re.findall(r'<a [^>]*href="([^"]+)"', page.read_text())
    targets = {urldefrag(urljoin(here, link)).url for link in found if "://" not in link}
    return {target for target in targets if target.endswith(".html") and (site / target).is_file()}


def test_site_has_each_document_within_two_links(site: Path) -> None:
    reached, edge = {"index.html"}, {"index.html"}
    for _ in range(2):
        edge = {target for page in edge for target in links_of(site / page, site)} - reached
        reached |= edge
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")} - {"404.html"}
    assert len(pages) > 100
    assert not pages - reached


def test_site_asks_no_other_host(site: Path) -> None:
    asked = {
        (page.name, address)
        for page in (site / "index.html", site / "start.html")
        for address in re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?://[^"]+)"', page.read_text())
    }
    assert not asked

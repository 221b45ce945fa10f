"""The addresses below /docs."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock
from typing import Any, Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import Response

from trackyard.base.errors import BadInput
from trackyard.wire.endpoint import VERSIONS, Endpoint, Topic
from trackyard.wire.http.health import Branch
from trackyard.wire.openapi.document import INTRODUCTION, Schema, document, document_of_version
from trackyard.wire.openapi.examples import Examples, add_examples, sample_call
from trackyard.wire.openapi.guides import Guide
from trackyard.wire.openapi.tables import document_path
from trackyard.wire.openapi.texts import NO_TEXTS, Texts
from trackyard.wire.openapi.viewer import frame
from trackyard.wire.openapi.viewer.methods import method_page
from trackyard.wire.openapi.viewer.resources import Resource, asset_resources, html_resource, json_resource
from trackyard.wire.openapi.viewer.search import search_index
from trackyard.wire.response.errors import PageNotFound

KEPT_PAGES: Final = 1000
"""Pages that are kept in memory, each about 20 KB: more than there are, so that each is made once."""

DOCUMENT: Final = "/openapi.json"
"""The path of the document of both versions, and with `?version=3.1` of one."""
_LONGEST_QUERY: Final = 300

_WRITING: Final = Lock()
"""Held while a page or document is written, so that it is written once."""


@dataclass(frozen=True)
class Documented:
    """The content of the reference.

    version: the version of the program. address: the address of the API.
    guides, examples: load the guides and examples when they are first shown.
    """

    topics: Sequence[Topic]
    version: str
    address: str = "/"
    texts: Texts = NO_TEXTS
    guides: Callable[[], Sequence[Guide]] = tuple
    examples: Callable[[], Examples] = dict

    def whole(self) -> Schema:
        """Return the document of both versions. It is not kept: it has many times the size of its JSON."""
        listed = [endpoint for topic in self.topics for endpoint in topic.endpoints]
        whole = self._document(listed, self.topics)
        add_examples(whole, self.examples())
        return whole

    def of_method(self, endpoint: Endpoint[Any]) -> Schema:
        """Return the document of one method, which takes a fraction of the time of the whole."""
        return self._document([endpoint], (Topic("method", "Method", (endpoint,)),))

    def _document(self, listed: Sequence[Endpoint[Any]], topics: Sequence[Topic]) -> Schema:
        return document(listed, version=self.version, servers=(self.address,), topics=topics, texts=self.texts)


class OpenApiPages:
    """The OpenAPI documents: of both versions, or of one. Each is written once."""

    def __init__(self, described: Documented) -> None:
        self._described = described
        self._kept = cache(self._written)

    def by_path(self, rest: str, asked: Headers) -> Response:
        """Return the document at an address that begins with /openapi. Raises PageNotFound."""
        path = f"/openapi{rest.rstrip('/')}"
        if path == DOCUMENT:
            return self._response(None, asked)
        prefix = next((each for each in VERSIONS if path == document_path(each)), None)
        if prefix is None:
            raise PageNotFound
        return self._response(prefix, asked)

    def by_query(self, query: str, asked: Headers) -> Response:
        """Return the document of the version in the query; without `version` the document of both."""
        chosen = parse_qs(query[:_LONGEST_QUERY], keep_blank_values=True).get("version", [])
        if chosen and (len(set(chosen)) > 1 or chosen[0] not in VERSIONS):
            raise BadInput({"version": [f"This value must be one of {', '.join(VERSIONS)}."]})
        return self._response(chosen[0] if chosen else None, asked)

    def _response(self, prefix: str | None, asked: Headers) -> Response:
        with _WRITING:
            document_found = self._kept(prefix)
        response = document_found.response(asked)
        response.headers["Cache-Control"] = "no-store"
        return response

    def _written(self, prefix: str | None) -> Resource:
        whole = self._described.whole()
        return json_resource(whole if prefix is None else document_of_version(whole, prefix))


def docs_branch(described: Documented) -> Branch:
    """Return the pages at addresses that begin with /docs."""
    site = _DocsSite(described)
    kept = lru_cache(maxsize=KEPT_PAGES)(site.find)

    def branch(rest: str, asked: Headers) -> Response:
        with _WRITING:
            page = kept(rest.rstrip("/"))
        return page.response(asked)

    return branch


class _DocsSite:
    def __init__(self, described: Documented) -> None:
        self._described = described
        self._assets = asset_resources()
        seal = hashlib.sha256("".join(each.tag for each in self._assets.values()).encode()).hexdigest()[:12]
        self._assets_path = f"/assets/{seal}"
        self._methods = {each.id: each for topic in described.topics for each in topic.endpoints}

    def find(self, rest: str) -> Resource:
        """Return the resource at the rest of an address. Raises PageNotFound."""
        if rest and not rest.startswith("/"):
            raise PageNotFound  # /docsomething
        if rest.startswith("/assets/"):
            return self._asset(rest)
        _, _, path = rest.partition("/")
        prefix, _, place = (path or frame.NEWEST).partition("/")
        if prefix not in VERSIONS:
            raise PageNotFound
        if place == "search.json":
            return json_resource(
                search_index(document_of_version(self._described.whole(), prefix), self._described.guides())
            )
        title, main = self._main(prefix, place)
        here = f"/{place}" if place else ""
        menu = frame.menu(self._described.topics, self._described.guides(), prefix, here)
        assets = f"/docs{self._assets_path}"
        return html_resource(frame.page(title=title, prefix=prefix, menu=menu, main=main, assets=assets, here=here))

    def _asset(self, rest: str) -> Resource:
        folder, _, name = rest.rpartition("/")
        if folder != self._assets_path or name not in self._assets:
            raise PageNotFound
        return self._assets[name]

    def _main(self, prefix: str, place: str) -> tuple[str, str]:
        """Return the title and the main part of a page."""
        described = self._described
        if not place:
            main = frame.home(described.topics, described.guides(), prefix, described.version, INTRODUCTION)
            return f"Trackyard API {prefix}", main
        guide = next((each for each in described.guides() if place == f"guides/{each.name}"), None)
        if guide is not None:
            names = [each.name for each in described.guides()]
            return f"{guide.title} · Trackyard API", frame.guide_page(guide, names, prefix)
        endpoint = self._methods.get(place)
        if endpoint is None or prefix not in endpoint.versions:
            raise PageNotFound
        return f"{endpoint.method} {endpoint.path} · Trackyard API", self._method(endpoint, prefix)

    def _method(self, endpoint: Endpoint[Any], prefix: str) -> str:
        found, path, method = self._described.of_method(endpoint), f"/{prefix}{endpoint.path}", endpoint.method.lower()
        example = self._described.examples().get(endpoint.id)
        call = sample_call(found, path, method, found["paths"][path][method]) if example is None else example.call
        return method_page(found, path, method, call.under(prefix), example)

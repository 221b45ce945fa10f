"""HTML creatives of offers (docs/spec/platform.md#html-creatives)."""

import re
from typing import Annotated, Final

from trackyard.actions.deps import Deps
from trackyard.actions.offers.offers import get_editable_id
from trackyard.actions.platform.files import NewHtml, remove_html_creative, set_html_creative
from trackyard.api.lookups import in_scope_by_reference
from trackyard.api.platform.files import file_url
from trackyard.base.errors import NotFound
from trackyard.domain.offers.offers import Creative, Offer
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, View

routes = Routes[Deps]()
_PATH: Final = "/admin/offer/{id}/creative/html/{creative_id}"
_WRITERS: Final = for_staff(Permission.OFFERS_WRITE)
_find = in_scope_by_reference(get_editable_id)
_KEY: Final = re.compile(r"[A-Za-z0-9-]{1,36}\Z")
MAX_CODE: Final = 100_000

Pixels = Annotated[int, s.WholeNumber(minimum=1, maximum=10_000)]


class SetHtmlCreative(Params):
    """An HTML creative. code: as affiliates copy it."""

    code: Annotated[str, s.BoundedText(minimum=1, maximum=MAX_CODE)]
    name: s.Name
    width: Pixels
    height: Pixels


class AssetView(View):
    """A file that the code of a creative uses."""

    url: str
    title: str
    size: int


class HtmlCreativeView(View):
    """An HTML creative. overwritten: whether this request replaced it. assets: always empty."""

    id: str
    type: str
    url: str
    title: str
    width: int
    height: int
    size: int
    overwritten: bool
    assets: list[AssetView]


class HtmlCreativesAnswer(Answer):
    """The HTML creatives of an offer."""

    creatives: list[HtmlCreativeView]


@routes.post(_PATH, _WRITERS, id="admin.offer.creative.html.set", find=_find)
def set_(request: ApiRequest[Deps], params: SetHtmlCreative) -> HtmlCreativesAnswer:
    """Store an HTML creative of an offer, in the place of the one with the same creative_id.

    Affiliates see it among the creatives. Its URL answers with the code as plain text, which no browser runs.
    """
    key, new = _key(request), NewHtml(params.name, params.code, params.width, params.height)
    offer, replaced = set_html_creative(request.deps, request.access, request.subject, key, new)
    return _answer(request, offer, key if replaced else "")


@routes.delete(_PATH, _WRITERS, id="admin.offer.creative.html.remove", find=_find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> HtmlCreativesAnswer:
    """Remove an HTML creative of an offer. Answers with the creatives that are left."""
    return _answer(request, remove_html_creative(request.deps, request.access, request.subject, _key(request)), "")


def _key(request: ApiRequest[Deps]) -> str:
    """Return the id of the creative in the path. Raises NotFound."""
    key = request.path["creative_id"]
    if not _KEY.match(key):
        raise NotFound
    return key.lower()


def _answer(request: ApiRequest[Deps], offer: Offer, replaced: str) -> HtmlCreativesAnswer:
    found = [_view(request, item, replaced) for item in offer.creatives if item.key]
    return HtmlCreativesAnswer(creatives=found)


def _view(request: ApiRequest[Deps], item: Creative, replaced: str) -> HtmlCreativeView:
    return HtmlCreativeView(
        id=item.key,
        type="html",
        url=file_url(request.deps.api_url, item.file) or "",
        title=item.title,
        width=item.width,
        height=item.height,
        size=item.size,
        overwritten=item.key == replaced,
        assets=[],
    )

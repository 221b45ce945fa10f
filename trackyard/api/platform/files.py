"""Creatives and logos of offers: parameters, view, removal and pages (docs/spec/platform.md#files)."""

from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from pydantic import Field
from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response, StreamingResponse

from trackyard.actions.deps import Deps
from trackyard.actions.offers.offers import get_editable_id
from trackyard.actions.platform.files import NewFile, NewFiles, find_file, remove_creatives
from trackyard.api.lookups import in_scope_by_reference
from trackyard.domain.offers.offers import Creative
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.files import GIF, JPEG, PICTURES, PNG, ZIP
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.http.health import Branch
from trackyard.wire.request import scalars as s
from trackyard.wire.request.brackets import File
from trackyard.wire.request.params import Params, Seq
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.errors import PageNotFound
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()

FILES = "/files/"
"""What the paths of stored files begin with."""

CreativeFile = Annotated[File, s.FileUpload((JPEG, PNG, GIF, ZIP))]
LogoFile = Annotated[File, s.FileUpload((JPEG, "image/pjpeg", PNG, GIF))]


class FileParams(Params):
    """Files of an offer. Create and edit add creatives and replace the logo."""

    creative_files: Seq[CreativeFile] = Field(default=(), alias="creativeFiles")
    creative_urls: Seq[s.Url] = Field(default=(), alias="creativeUrls")
    creative_downloads: Seq[s.Url] = Field(default=(), alias="creativeDownloads")
    logo: LogoFile | None = None

    def new_files(self) -> NewFiles:
        """Return the files to store."""
        return NewFiles(
            creatives=tuple(NewFile(file.name, file.handle) for file in self.creative_files),
            urls=self.creative_urls,
            downloads=self.creative_downloads,
            logo=None if self.logo is None else NewFile(self.logo.name, self.logo.handle),
        )


class CreativeView(View):
    """A creative. url: of the stored file, or of another site.

    size: bytes; width, height: pixels; all three 0 when unknown.
    """

    id: int
    title: str
    url: str
    mime: str
    size: int
    width: int
    height: int


def creative_view(item: Creative, api_url: str) -> CreativeView:
    """Return the view of a creative."""
    return view_of(CreativeView, item, url=file_url(api_url, item.file) or item.url or "")


def file_url(api_url: str, file_id: str | None) -> str | None:
    """Return the URL of a stored file; None for none."""
    return None if file_id is None else f"{api_url}{FILES}{file_id}"


class RemoveCreatives(Params):
    """Creatives of one offer."""

    creatives: Seq[s.Id]


class RemovedCreativesAnswer(Answer):
    """Ids of what is gone."""

    removed: list[int]


@routes.delete(
    "/admin/offer/{id}/remove-creative",
    for_staff(Permission.OFFERS_WRITE),
    id="admin.offer.remove-creative",
    find=in_scope_by_reference(get_editable_id),
)
def remove(request: ApiRequest[Deps], params: RemoveCreatives) -> RemovedCreativesAnswer:
    """Remove creatives of an offer, with their files."""
    return RemovedCreativesAnswer(
        removed=remove_creatives(request.deps, request.access, request.subject, params.creatives)
    )


def file_pages(deps: Deps) -> Branch:
    """Return the branch that serves stored files by their id, and by the key of a private one.

    A browser runs nothing of a file.
    """

    def page(place: str, headers: Headers) -> Response:
        file_id, _, key = place.partition("/")
        row = find_file(deps, file_id, key)
        found = None if row is None else deps.files.find(file_id)
        if row is None or found is None:
            raise PageNotFound
        sent = {
            "Content-Security-Policy": "sandbox; default-src 'none'",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin" if row.is_private else "cross-origin",
            "Cache-Control": "private, no-store" if row.is_private else "public, max-age=31536000, immutable",
            "Content-Disposition": _disposition(row.mime, row.name),
            "ETag": f'"{row.id}"',
        }
        if f'"{row.id}"' in headers.get("if-none-match", "") or headers.get("if-none-match") == "*":
            return Response(status_code=304, headers=sent)
        if isinstance(found, Path):
            return FileResponse(found, headers=sent, media_type=row.mime)
        return StreamingResponse(found, headers=sent | {"Content-Length": str(row.size)}, media_type=row.mime)

    return page


def _disposition(mime: str, name: str) -> str:
    how = "inline" if mime in PICTURES else "attachment"
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._- ") else "_" for letter in name)
    return f"{how}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"

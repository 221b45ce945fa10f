"""Creatives and logos of offers: checked, stored, served, removed (docs/spec/platform.md#files).

Files are stored before the transaction that refers to them, and removed again when it fails; a job removes what a
crash leaves (jobs/schedule/file_fetches.py). A file without a row is never served.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, BinaryIO, Final
from urllib.parse import unquote, urlsplit

from msgspec.structs import replace

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.tracking.called_addresses import check_called
from trackyard.base.errors import BadInput, NotFound, RequestError, UnsupportedMediaType, required
from trackyard.base.secrets import DecryptionFailed
from trackyard.domain.offers.offers import Creative, Offer
from trackyard.domain.people.callers import Access
from trackyard.domain.platform.files import InvalidFile, Media, each_member, find_media
from trackyard.store.engine.database import Connection
from trackyard.store.offers import offers
from trackyard.store.platform import files
from trackyard.store.platform.file_storage import CHUNK, FileStore
from trackyard.store.platform.files import FileRow

MAX_CREATIVES: Final = 1000
"""The most creatives of one offer."""

SERVED_AS: Final = "text/plain; charset=utf-8"
"""The type of the stored code of an HTML creative: a browser shows it and runs nothing of it."""
HTML: Final = "text/html"

_KEY_PURPOSE: Final = "private-file"
_KEY_MS: Final = 24 * 3_600_000
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file as it was sent. name: given by its sender."""

    name: str
    handle: BinaryIO


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFiles:
    """Files that a request adds to an offer.

    urls: creatives that are not copied.
    downloads: URLs that are fetched and then stored here.
    """

    creatives: tuple[NewFile, ...] = ()
    urls: tuple[str, ...] = ()
    downloads: tuple[str, ...] = ()
    logo: NewFile | None = None


@dataclass(slots=True)
class StoredFiles:
    """Stored new files, to attach in the caller's transaction; creatives get ids then."""

    store: FileStore
    now_ms: int
    creatives: list[Creative] = field(default_factory=list)
    downloads: list[Creative] = field(default_factory=list)
    archive: str | None = None
    logo: str | None = None
    rows: list[FileRow] = field(default_factory=list)

    def add_creative(self, upload: NewFile) -> None:
        """Store a picture, or an archive with its pictures. Raises UnsupportedMediaType, InvalidFile."""
        media = _media(upload)
        row = self._store(upload.name, media, upload.handle)
        if media.is_picture:
            self.creatives.append(_creative(row, media))
            return
        if self.archive is not None:
            raise InvalidFile("Only one archive can be sent at a time.")
        self.archive = row.id
        for name, content in each_member(upload.handle):
            inner = BytesIO(content)
            found = find_media(inner)
            if found is not None and found.is_picture:
                self.creatives.append(_creative(self._store(name, found, inner), found))

    def add_logo(self, upload: NewFile) -> None:
        """Store the logo. Raises UnsupportedMediaType, InvalidFile."""
        media = _media(upload)
        if not media.is_picture:
            raise UnsupportedMediaType(f"{UnsupportedMediaType.text}: {clean_name(upload.name)} is not a picture")
        self.logo = self._store(upload.name, media, upload.handle).id

    def attach(self, conn: Connection, offer: Offer, now_ms: int) -> Offer:
        """Attach the files to an offer that this transaction made or locked; return the offer after it.

        A new logo or archive replaces the old one. Raises BadInput for too many creatives.
        """
        more = (*self.creatives, *self.downloads)
        changes = self._replacements()
        if more:
            if len(offer.creatives) + len(more) > MAX_CREATIVES:
                raise BadInput({"creativeFiles": [f"An offer may have at most {MAX_CREATIVES} creatives."]})
            numbered = [replace(item, id=offer.last_number + place) for place, item in enumerate(more, start=1)]
            changes["creatives"] = (*offer.creatives, *numbered)
            changes["last_number"] = offer.last_number + len(more)
            files.add_fetches(conn, offer.id, numbered[len(self.creatives) :], now_ms)
        return self._write(conn, offer, changes, now_ms)

    def attach_fetched(self, conn: Connection, offer: Offer, creative_id: int, now_ms: int) -> Offer:
        """Replace a creative by what was fetched from its URL; the first picture takes its id.

        Raises InvalidFile for too many creatives.
        """
        place = next(index for index, item in enumerate(offer.creatives) if item.id == creative_id)
        numbers = [creative_id, *range(offer.last_number + 1, offer.last_number + len(self.creatives))]
        url = offer.creatives[place].url
        found = [replace(item, id=number, url=url) for item, number in zip(self.creatives, numbers, strict=False)]
        remaining = (*offer.creatives[:place], *found, *offer.creatives[place + 1 :])
        if len(remaining) > MAX_CREATIVES:
            raise InvalidFile(f"An offer may have at most {MAX_CREATIVES} creatives.")
        changes = self._replacements() | {"creatives": remaining, "last_number": max(offer.last_number, *numbers)}
        return self._write(conn, offer, changes, now_ms)

    def discard(self) -> None:
        """Remove the stored files."""
        self.store.remove(row.id for row in self.rows)

    def _replacements(self) -> dict[str, Any]:
        given = {"creatives_zip": self.archive, "logo": self.logo}
        return {name: file_id for name, file_id in given.items() if file_id is not None}

    def _write(self, conn: Connection, offer: Offer, changes: dict[str, Any], now_ms: int) -> Offer:
        if not changes:
            return offer
        files.add_files(conn, self.rows)
        replaced = {"creatives_zip": offer.creatives_zip, "logo": offer.logo}
        files.remove_files(conn, [old for name, old in replaced.items() if name in changes and old is not None])
        return offers.edit_offer(conn, offer, changes | {"updated_at": now_ms})

    def _store(self, name: str, media: Media, handle: BinaryIO) -> FileRow:
        size = handle.seek(0, 2)
        row = FileRow(self.store.put(_chunks(handle)), clean_name(name), media.mime, size, self.now_ms)
        self.rows.append(row)
        return row


@contextmanager
def store_new_files(deps: Deps, new: NewFiles) -> Iterator[StoredFiles]:
    """Check and store new files; the block attaches them and commits.

    A RequestError removes the files again. After another failure, which may follow the commit, a job removes them if
    they are orphans.
    Raises UnsupportedMediaType for content of a type that is not listed, BadInput for a broken or dangerous file.
    """
    downloads = {f"creativeDownloads[{place}]": url for place, url in enumerate(new.downloads)}
    check_called(deps, downloads, {}, lambda _sentence: None)
    stored = StoredFiles(deps.files, deps.clock.now_ms())
    try:
        for upload in new.creatives:
            with _as_bad_input("creativeFiles", upload):
                stored.add_creative(upload)
        if new.logo is not None:
            with _as_bad_input("logo", new.logo):
                stored.add_logo(new.logo)
        stored.creatives += [Creative(id=0, title=title_of(url), url=url) for url in new.urls]
        stored.downloads += [Creative(id=0, title=title_of(url), url=url) for url in new.downloads]
        yield stored
    except RequestError:
        stored.discard()
        raise


def remove_creatives(deps: Deps, access: Access, offer_id: int, creative_ids: Iterable[int]) -> list[int]:
    """Remove creatives of an offer with their files; return their ids in the offer's order.

    Raises NotFound when the offer, or every one of the creatives, does not exist.
    """
    wanted = set(creative_ids)
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        offer = offers.find_offer(conn, scope, offer_id, lock=True)
        removed = [] if offer is None else [item for item in offer.creatives if item.id in wanted]
        if offer is None or not removed:
            raise NotFound
        remaining = tuple(item for item in offer.creatives if item.id not in wanted)
        offers.edit_offer(conn, offer, {"creatives": remaining, "updated_at": deps.clock.now_ms()})
        files.remove_files(conn, [item.file for item in removed if item.file is not None])
        files.remove_fetches_of(conn, offer.id, [item.id for item in removed])
    return [item.id for item in removed]


@dataclass(frozen=True, slots=True)
class NewHtml:
    """The code of a creative. width, height: pixels of its place on a page."""

    name: str
    code: str
    width: int
    height: int


def set_html_creative(deps: Deps, access: Access, offer_id: int, key: str, new: NewHtml) -> tuple[Offer, bool]:
    """Store an HTML creative, in the place of one with the same key.

    Returns the offer, and whether the creative replaced one.
    Raises NotFound, and BadInput for too many creatives.
    """
    content, now = new.code.encode(), deps.clock.now_ms()
    row = FileRow(deps.files.put([content]), f"{clean_name(new.name)}.txt", SERVED_AS, len(content), now)
    try:
        with deps.database.write() as conn:
            offer = required(offers.find_offer(conn, scope_of(conn, access), offer_id, lock=True))
            old = next((item for item in offer.creatives if item.key == key), None)
            if old is None and len(offer.creatives) >= MAX_CREATIVES:
                raise BadInput({"code": [f"An offer may have at most {MAX_CREATIVES} creatives."]})
            made = Creative(
                id=offer.last_number + 1 if old is None else old.id,
                title=new.name,
                file=row.id,
                mime=HTML,
                size=len(content),
                width=new.width,
                height=new.height,
                key=key,
            )
            changes: dict[str, Any] = {"last_number": max(offer.last_number, made.id), "updated_at": now}
            others = [made if item is old else item for item in offer.creatives]
            files.add_files(conn, [row])
            after = offers.edit_offer(
                conn, offer, changes | {"creatives": tuple(others if old is not None else [*others, made])}
            )
            files.remove_files(conn, [old.file] if old is not None and old.file is not None else [])
            return after, old is not None
    except (BadInput, NotFound):
        deps.files.remove([row.id])
        raise


def remove_html_creative(deps: Deps, access: Access, offer_id: int, key: str) -> Offer:
    """Remove an HTML creative with its file; return the offer. Raises NotFound."""
    with deps.database.write() as conn:
        offer = required(offers.find_offer(conn, scope_of(conn, access), offer_id, lock=True))
        removed = [item for item in offer.creatives if item.key == key]
        if not removed:
            raise NotFound
        remaining = tuple(item for item in offer.creatives if item.key != key)
        after = offers.edit_offer(conn, offer, {"creatives": remaining, "updated_at": deps.clock.now_ms()})
        files.remove_files(conn, [item.file for item in removed if item.file is not None])
        return after


def find_file(deps: Deps, file_id: str, key: str = "") -> FileRow | None:
    """Return the stored file of an id; None without a row, and for a private file without its key.

    key: as `private_key` made it, "" = none.
    """
    with deps.database.read() as conn:
        found = files.find_file(conn, file_id)
    return None if found is not None and found.is_private and not _opens(deps, file_id, key) else found


def private_key(deps: Deps, file_id: str) -> str:
    """Return the key of a link to a private file, for a reader of it now. It works for 24 hours."""
    content = json.dumps([file_id, deps.clock.now_ms() + _KEY_MS])
    return deps.cipher.for_purpose(_KEY_PURPOSE).encrypt(content)


def _opens(deps: Deps, file_id: str, key: str) -> bool:
    try:
        named, until = json.loads(deps.cipher.for_purpose(_KEY_PURPOSE).decrypt(key))
    except DecryptionFailed:
        return False
    return bool(named == file_id and deps.clock.now_ms() < until)


def title_of(url: str) -> str:
    """Return the name of a file at a URL: the last part of its path, else its host."""
    parts = urlsplit(url)
    return clean_name(unquote(parts.path).rstrip("/").rpartition("/")[2] or parts.netloc)


def clean_name(name: str) -> str:
    """Return a file name without directories and control characters, at most 255 characters."""
    last = _CONTROL.sub("", name.replace("\\", "/")).rstrip("/").rpartition("/")[2].strip()
    return last[-255:] or "file"


def _creative(row: FileRow, media: Media) -> Creative:
    return Creative(
        id=0, title=row.name, file=row.id, mime=row.mime, size=row.size, width=media.width, height=media.height
    )


def _media(upload: NewFile) -> Media:
    media = find_media(upload.handle)
    if media is None:
        raise UnsupportedMediaType(
            f"{UnsupportedMediaType.text}: {clean_name(upload.name)} does not hold what is taken here"
        )
    return media


@contextmanager
def _as_bad_input(parameter: str, upload: NewFile) -> Iterator[None]:
    try:
        yield
    except InvalidFile as fault:
        raise BadInput({parameter: [f"{clean_name(upload.name)}: {fault}"]}) from None


def _chunks(handle: BinaryIO) -> Iterator[bytes]:
    handle.seek(0)
    while piece := handle.read(CHUNK):
        yield piece

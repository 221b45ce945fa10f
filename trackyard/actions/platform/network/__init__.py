"""Use cases of the network's face (docs/spec/platform.md#the-network)."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.platform.files import NewFile, StoredFiles
from trackyard.base.errors import BadInput, RequestError, UnsupportedMediaType
from trackyard.domain.platform.files import JPEG, PNG, InvalidFile, find_media
from trackyard.domain.platform.network import LOGO_MAX, LOGO_SIDE_MAX, Network, accent_fault
from trackyard.store.engine.database import Connection
from trackyard.store.platform import files, settings


def get_network(deps: Deps) -> Network:
    """Return the face of the network."""
    with deps.database.read() as conn:
        return settings.find_network(conn)


def edit_network(deps: Deps, given: Mapping[str, Any]) -> Network:
    """Change the given fields of Network; return all. Raises BadInput for an accent that cannot be read."""
    with deps.database.write() as conn:
        before = settings.find_network(conn)
        after = replace(before, **given)
        colours = (("accent", after.accent, False), ("accent_dark", after.accent_dark, True))
        faults = {
            name: fault for name, colour, dark in colours if colour and (fault := accent_fault(colour, dark=dark))
        }
        if after.accent_dark and not after.accent:
            faults["accent"] = "The accent of the dark theme needs one of the light theme."
        if faults:
            raise BadInput({name: [fault] for name, fault in faults.items()})
        _store(conn, before, after)
        return after


def replace_logo(deps: Deps, upload: NewFile | None) -> Network:
    """Store a new logo, or remove it. Raises BadInput, UnsupportedMediaType."""
    stored = StoredFiles(deps.files, deps.clock.now_ms())
    try:
        if upload is not None:
            _check_logo(upload)
            stored.add_logo(upload)
        with deps.database.write() as conn:
            before = settings.find_network(conn)
            after = replace(before, logo=stored.logo or "")
            files.add_files(conn, stored.rows)
            files.remove_files(conn, [before.logo] if before.logo else [])
            _store(conn, before, after)
            return after
    except RequestError:
        stored.discard()
        raise


def _store(conn: Connection, before: Network, after: Network) -> None:
    if after != before:
        set_fields = {name: value for name, value in asdict(after).items() if value != getattr(Network(), name)}
        settings.edit_setting(conn, settings.NETWORK, set_fields)


def _check_logo(upload: NewFile) -> None:
    """Raise BadInput for a logo that is too large, UnsupportedMediaType for what is neither PNG nor JPEG."""
    if upload.handle.seek(0, 2) > LOGO_MAX:
        raise BadInput({"logo": [f"A logo may have at most {LOGO_MAX // 1024} KB."]})
    try:
        media = find_media(upload.handle)
    except InvalidFile as fault:
        raise BadInput({"logo": [str(fault)]}) from None
    if media is None or media.mime not in (PNG, JPEG):
        raise UnsupportedMediaType(f"{UnsupportedMediaType.text}: a logo must be a PNG or JPEG picture")
    if max(media.width, media.height) > LOGO_SIDE_MAX:
        raise BadInput({"logo": [f"A logo may have at most {LOGO_SIDE_MAX} pixels a side."]})

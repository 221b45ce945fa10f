"""How a command finds its server from any folder (docs/commands.md#the-server)."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from trackyard.commands.failures import CommandFailed, ServerAway, WrongUse
from trackyard.commands.local_api import ApiClient
from trackyard.runtime.server_file import ServerFile, find_server_file
from trackyard.runtime.settings import CannotStart, Config, NotInstalled


@dataclass(frozen=True, slots=True)
class GivenServer:
    """The options of the command line that select the server.

    config: the settings file. url, key: the URL and API key of a server elsewhere. system_config: the settings file
    when none is given.
    """

    config: Path | None
    url: str | None
    key: str | None
    system_config: Path


def find_server(given: GivenServer, settings: Callable[[], Config]) -> ApiClient:
    """Return the API of the server from the command line, the environment, a file or the folder.

    settings: loads the settings of a server of this machine.

    Raises WrongUse, WrongSetting, CommandFailed without the key, and ServerAway with the places that were searched.
    """
    url = given.url or os.environ.get("TRACKYARD_URL", "")
    key = given.key or os.environ.get("TRACKYARD_KEY", "")
    if url:
        if not url.startswith(("http://", "https://")):
            raise WrongUse(f"--url must begin with http:// or https://, not {url!r}.")
        if not key:
            raise WrongUse("--url needs the API key of a staff user there: --key or TRACKYARD_KEY.")
        return ApiClient(url.rstrip("/"), key, f"It is the URL of {'--url' if given.url else 'TRACKYARD_URL'}.")
    places = _places(given)
    config = settings()
    server = find_server_file(config.data_dir)
    if server is not None and not server.api:
        raise CommandFailed(
            f"the server of {config.data_dir} runs {', '.join(server.roles)} and has no API: name the machine that has "
            "one with --url and --key."
        )
    address = config.api_listen.url() if server is None else server.api
    return ApiClient(address, key or _administrator_key(config, server, places), _origin(config, server, places))


def _administrator_key(config: Config, server: ServerFile | None, places: str) -> str:
    from trackyard.runtime.preparation import administrator_key  # imports the database

    try:
        return administrator_key(config)
    except NotInstalled as fault:
        if server is None:
            raise ServerAway(f"{fault} {places}") from None
        raise CommandFailed(_foreign_key(server)) from None
    except CannotStart:
        if server is None:
            raise
        raise CommandFailed(_foreign_key(server)) from None


def _foreign_key(server: ServerFile) -> str:
    return (
        f"the server runs at {server.api}, but the administrator's key cannot be read: set TRACKYARD_DATABASE_URL and "
        "TRACKYARD_SECRET_KEY as the server has them, or give --key."
    )


def _origin(config: Config, server: ServerFile | None, places: str) -> str:
    """Return how the URL was found, for the error of a server that does not answer."""
    if server is None:
        return places
    file = config.data_dir / "run" / "server.json"
    return f"Process {server.pid} wrote that URL to {file} at {server.started_at}."


def _places(server: GivenServer) -> str:
    """Return the places that are looked at, with what they hold."""

    def given(value: object) -> str:
        return str(value) if value else "not given"

    named = server.config or os.environ.get("TRACKYARD_CONFIG")
    directory = os.environ.get("TRACKYARD_DATA_DIR")
    file = server.system_config
    state = "is there" if os.access(file, os.R_OK) else "cannot be read" if file.exists() else "is not there"
    skipped = "" if named or directory else f", {file} ({state}), data in this folder"
    return (
        f"Looked for --url (not given), --config or TRACKYARD_CONFIG ({given(named)}), "
        f"TRACKYARD_DATA_DIR ({given(directory)}){skipped}."
    )

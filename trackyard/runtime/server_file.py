"""`run/server.json` in the data directory: where the running server is.

Commands read it (docs/commands.md#the-server).
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from trackyard.runtime.settings import Config


@dataclass(frozen=True, slots=True)
class ServerFile:
    """The facts that a running server writes about itself.

    api, tracking, monitoring: addresses; "" where this machine has none.
    tracking_listener: where the edges of this machine listen, for its health check; "" without edges.
    started_at: RFC 3339, UTC.
    data_dir, config: paths; config is "" without a file. The administrator's key is found by these: it is stored
    encrypted in the database, and never here.
    """

    pid: int
    version: str
    started_at: str
    roles: tuple[str, ...]
    api: str
    tracking: str
    monitoring: str
    data_dir: str
    config: str
    tracking_listener: str = ""


def server_file(config: Config) -> tuple[Path, str]:
    """Return the file of this server and its content."""
    has_api, has_edge = "api" in config.roles, "edge" in config.roles
    named = os.environ.get("TRACKYARD_CONFIG", "")
    scheme = "http" if config.tracking_tls_cert is None else "https"
    server = ServerFile(
        pid=os.getpid(),
        version=version("trackyard"),
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        roles=config.roles,
        api=config.api_listen.url() if has_api else "",
        tracking=config.tracking_url if has_edge else "",
        monitoring="" if config.monitoring_listen is None else config.monitoring_listen.url(),
        data_dir=str(config.data_dir),
        config=str(Path(named).resolve()) if named else "",
        tracking_listener=config.tracking_listen.url(scheme) if has_edge else "",
    )
    return _file(config.data_dir), json.dumps(asdict(server), indent=2) + "\n"


def remove_server_file(config: Config) -> None:
    """Remove the file at the end of the server."""
    with suppress(FileNotFoundError):
        _file(config.data_dir).unlink()


def find_server_file(data_dir: Path) -> ServerFile | None:
    """Return the file of a data directory's server; None without a server.

    A killed server leaves its file behind. A server writes its file again after a full disk cut it.
    """
    try:
        read = json.loads(_file(data_dir).read_text())
    except (OSError, ValueError):
        return None
    if not isinstance(read, dict):
        return None
    known = {each.name: read[each.name] for each in fields(ServerFile) if each.name in read}
    try:
        return ServerFile(**known | {"roles": tuple(known["roles"])})
    except (KeyError, TypeError):
        return None


def is_server_running(data_dir: Path) -> bool:
    """Return whether the server that wrote the file of a data directory runs."""
    server = find_server_file(data_dir)
    return server is not None and is_process_alive(str(server.pid))


def is_process_alive(pid: str) -> bool:
    """Return whether a process runs. pid: as text; False for one that is not a number."""
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def _file(data_dir: Path) -> Path:
    return data_dir / "run" / "server.json"

"""PostgreSQL's own tools, where the machine has them and they fit the server."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import make_url

from trackyard.store.backup.failures import ToolFailed

_TIMEOUT_S: Final = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Tool:
    """pg_dump or pg_restore. major: its version, such as 18."""

    path: str
    major: int

    def run(self, database_url: str, *arguments: str) -> None:
        """Run it on a database. Raises ToolFailed. The password is in no list of processes."""
        url = make_url(database_url).set(drivername="postgresql")
        environment = dict(os.environ)
        if url.password:
            environment["PGPASSWORD"] = str(url.password)
        address = url.set(password=None).render_as_string(hide_password=False)
        command = [self.path, f"--dbname={address}", *arguments]
        try:
            done = subprocess.run(  # noqa: S603 (the tool and its address, without a shell)
                command, env=environment, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as fault:
            raise ToolFailed(f"{Path(self.path).name} could not run: {fault}.") from None
        if done.returncode != 0:
            said = (done.stderr.strip() or "no reason given").splitlines()
            raise ToolFailed(f"{Path(self.path).name} failed: {said[-1]}.")


def find_tool(name: str, at_least: int) -> Tool | None:
    """Return a tool of the PATH that has at least a major version; None without one."""
    path = shutil.which(name)
    if path is None:
        return None
    try:
        asked = subprocess.run(  # noqa: S603 (a tool of the PATH)
            [path, "--version"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"(\d+)(\.\d+)*\s*$", asked.stdout.partition("(PostgreSQL)")[2].strip().split(" ")[0])
    major = int(found[1]) if found else 0
    return Tool(path, major) if major >= at_least else None

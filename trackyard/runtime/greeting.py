"""What a start prints when everything is ready: where things are, and the key once."""

import os
import shutil
import sys
from pathlib import Path

from trackyard.domain.conversions.codes import CodeMode, postback_address
from trackyard.runtime.settings import Config

_WIDTH = 12


def greeting(settings: Config, new_key: str, postback_code: str, link: str = "") -> str:
    """Return the text about this machine that a start prints.

    new_key: the administrator's key at the start that made it, else "". Files, journals and terminals keep the printed
    text, so later starts do not print the key.
    postback_code: the mode of codes, see CodeMode.
    link: signs the administrator in to the console, "" where a staff user can sign in, and after the first week.
    """
    rows = []
    has_api = "api" in settings.roles
    if has_api:
        api = settings.api_listen.url()
        once = f"{link}   (signs you in once, within 24 hours; printed in the first week only)"
        rows.append(("Console", once if link else f"{api}/console/"))
        rows.append(("API", f"{api}   (documentation: {api}/docs)"))
    if "edge" in settings.roles:
        rows.append(("Clicks", settings.tracking_url))
    if settings.monitoring_listen is not None:
        rows.append(("Monitoring", f"{settings.monitoring_listen.url()}/readyz, /metrics"))
    if has_api:
        rows.append(("Postbacks", _postbacks(settings, postback_code)))
        rows.append(("API key", f"{new_key}   (shown once)" if new_key else f"run `{_command()} key`"))
    lines = [f"  {name:<{_WIDTH}} {text}" for name, text in rows]
    more = f" README.md leads from a click to a report, `{_command()} demo` shows a network." if has_api else ""
    return "\n".join(["", _bold("Trackyard is ready."), *lines, f"Ctrl-C stops it.{more}"])


def _postbacks(settings: Config, mode: str) -> str:
    """Return the form of the addresses of advertisers' postbacks."""
    if mode == CodeMode.NONE:
        return f"{postback_address(settings.tracking_url, '')}   (no code is asked: see TRACKYARD_POSTBACK_CODE)"
    return f"{postback_address(settings.tracking_url, 'CODE')}   (CODE is hash_password of the advertiser)"


def _command() -> str:
    """Return the command to type here: its name, or its path where the shell does not find it."""
    path = Path(sys.executable).with_name("trackyard")
    if shutil.which("trackyard") or not path.exists():
        return "trackyard"
    here = Path.cwd()
    is_below = path.is_relative_to(here) and here != Path(here.anchor)
    return str(path.relative_to(here) if is_below else path)


def _bold(text: str) -> str:
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return f"\x1b[1m{text}\x1b[0m" if coloured else text

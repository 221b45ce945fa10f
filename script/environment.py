"""The project's environment for scripts in Python, which a system's Python starts without its packages."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
ENVIRONMENT = SCRIPTS.parent / ".venv"


def use_environment() -> None:
    """Set the environment up, and run this script again with its Python unless it runs with it already."""
    if Path(sys.prefix).resolve() == ENVIRONMENT:
        return
    subprocess.run([SCRIPTS / "setup", "dev"], check=True)
    python = str(ENVIRONMENT / "bin" / "python")
    os.execv(python, [python, *sys.argv])

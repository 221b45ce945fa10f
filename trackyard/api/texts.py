"""The texts of parameters and answer fields.

texts.toml in this folder is for all subjects; each subject has one of its own.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Final

from trackyard.wire.openapi.texts import SHARED, Texts

_HERE: Final = Path(__file__).parent
_NAME: Final = "texts.toml"


@cache
def texts() -> Texts:
    """Return the texts of the API. They serve its documents, errors and forms."""
    files = {SHARED: _HERE / _NAME} | {path.parent.name: path for path in sorted(_HERE.glob(f"*/{_NAME}"))}
    return Texts({subject: tomllib.loads(path.read_text(encoding="utf-8")) for subject, path in files.items()})

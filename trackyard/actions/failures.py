"""What a store that fails under a call is to the caller (docs/spec/api-conventions.md#errors): only defects of ours are
a 500."""

import errno
from typing import Final

from trackyard.base.errors import Conflict, Refusal, Unavailable
from trackyard.store.engine.database import Trouble, trouble_of
from trackyard.store.engine.failures import is_full, is_undone, taken_by
from trackyard.store.platform.file_storage import FilesUnreachable

FULL: Final = "The data cannot be written, as the disk is full: nothing was changed"
NO_FILES: Final = (
    "Files cannot be kept or read now, as the bucket of TRACKYARD_FILES_URL refuses or does not answer (the log says "
    "which): nothing was changed"
)
BESIDE: Final = "Another change was made at the same moment, so this one was undone: send it again"

_FULL_DISK: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def refusal_of(fault: Exception) -> Refusal | None:
    """What to answer; None when the fault is a defect of ours. A value that another call took first is a Conflict."""
    if isinstance(fault, FilesUnreachable):
        return Unavailable(NO_FILES, code="files_unreachable")
    if is_full(fault) or (isinstance(fault, OSError) and fault.errno in _FULL_DISK):
        return Unavailable(FULL, code="disk_full")
    if columns := taken_by(fault):
        return Conflict({column: ["This value is taken."] for column in columns})
    trouble = trouble_of(fault)
    if trouble is Trouble.UNAVAILABLE:
        return Unavailable()
    return Unavailable(BESIDE, retry_after=1) if is_undone(fault) else None

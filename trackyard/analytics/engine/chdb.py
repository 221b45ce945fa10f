"""The engine inside the process: its settings, and how it is loaded."""

import ctypes
import importlib
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from trackyard.base.disks import STATISTICS_FREE_BYTES

CHDB_CONFIG: Final = f"""<clickhouse>
  <mark_cache_size>33554432</mark_cache_size>
  <primary_index_cache_size>67108864</primary_index_cache_size>
  <index_mark_cache_size>4194304</index_mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <query_condition_cache_size>4194304</query_condition_cache_size>
  <compiled_expression_cache_size>4194304</compiled_expression_cache_size>
  <mmap_cache_size>0</mmap_cache_size>
  <background_pool_size>2</background_pool_size>
  <memory_worker_period_ms>250</memory_worker_period_ms>
  <storage_configuration>
    <disks><default><keep_free_space_bytes>{STATISTICS_FREE_BYTES}</keep_free_space_bytes></default></disks>
  </storage_configuration>
  <merge_tree>
    <concurrent_part_removal_threshold>1000000</concurrent_part_removal_threshold>
    <old_parts_lifetime>60</old_parts_lifetime>
  </merge_tree>
</clickhouse>
"""
"""Caches and few looks at memory, for a small machine. The engine's own logs are off, as they are not named here.

Inserts are synced to disk and merges are not. So merged parts stay for 60 s, until the kernel wrote what they became:
after a power cut they replace a part that is not whole. chDB's default would remove them at once.

Merged parts are removed one after the other: from 100 at once on, chDB takes 128 threads for them, which it keeps, each
with three open files. Its limits of that pool have no effect here.

With less than 128 MiB free no insert and no merge begins, so that few meet a full disk (analytics/engine/parts.py).
"""


_CRASHES: Final = ("SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS", "SIGTSTP")
"""The signals that chDB catches: crashes, and Ctrl-Z."""
_ACTION_BYTES: Final = 512
"""More than a `struct sigaction` of any system has."""


@contextmanager
def crash_signals_kept() -> Iterator[None]:
    """Keep what signals of crashes do while chDB is loaded or a client of it is opened.

    chDB's handlers wait for a thread that it does not have: a process that crashes would stay for ever, answer nothing,
    and never be started again (docs/spec/engine.md#crashes-of-the-core).
    """
    libc = ctypes.CDLL(None)
    actions = {getattr(signal, name): ctypes.create_string_buffer(_ACTION_BYTES) for name in _CRASHES}
    for number, action in actions.items():
        libc.sigaction(int(number), None, action)
    try:
        yield
    finally:
        for number, action in actions.items():
            libc.sigaction(int(number), action, None)


def load_chdb() -> None:
    """Import chDB without pyarrow and its numpy, which it loads if it can but does not need here: 45 MB."""
    with crash_signals_kept():
        _load_without_pyarrow()


def _load_without_pyarrow() -> None:
    absent = "pyarrow" not in sys.modules
    if absent:
        sys.modules["pyarrow"] = None  # type: ignore[assignment]
    try:
        importlib.import_module("chdb")
        importlib.import_module("chdb.state")  # of its connections
    finally:
        if absent:
            del sys.modules["pyarrow"]

"""Checks of a machine and its settings that need no server (docs/operating.md#checks)."""

"""Backups of an installation that runs, and their restoration (docs/operating.md#backups)."""

"""The pages of the system: its health, its audit log (docs/spec/console.md#health)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.system import audit_log, health, thing_health

PARTS: Final[tuple[Pages, ...]] = (health.pages, audit_log.pages, thing_health.pages)
"""All pages of the system."""

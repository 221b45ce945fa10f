"""Trackyard: a self-hosted tracking platform for performance marketing."""

from trackyard.runtime.compiled import select_implementation

select_implementation()

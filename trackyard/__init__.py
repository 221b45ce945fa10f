"""Trackyard: a self-hosted tracking platform for performance marketing."""

from trackyard.compiled import choose

choose()

"""Wiring: settings, roles, the supervisor and the compiled modules."""

"""Rebuild, retention and reconciliation of the analytic store."""

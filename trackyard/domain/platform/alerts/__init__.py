"""Alerts: causes that need a person, and how people get them (docs/spec/alerts.md)."""

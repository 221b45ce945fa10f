"""Alerts, their mails, and what people chose about them (docs/spec/alerts.md)."""

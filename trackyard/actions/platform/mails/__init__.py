"""Texts of mails, their log, and mails that are sent at once (docs/spec/mails.md)."""

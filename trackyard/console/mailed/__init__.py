"""Saved reports as mails (docs/spec/console.md#reports-by-mail)."""

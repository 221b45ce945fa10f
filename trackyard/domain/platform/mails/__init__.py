"""Mails: their kinds, values and look (docs/spec/platform.md#mail)."""

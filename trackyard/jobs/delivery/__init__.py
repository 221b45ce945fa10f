"""Outbound postbacks and mail."""

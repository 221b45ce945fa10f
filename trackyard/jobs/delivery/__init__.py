"""Postbacks and mail on their way out."""

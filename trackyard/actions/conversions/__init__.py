"""Conversions: decisions on postbacks, edits, and the changes they make."""

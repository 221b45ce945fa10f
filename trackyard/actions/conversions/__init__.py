"""Conversions: decisions on postbacks, edits and the conversions they make."""

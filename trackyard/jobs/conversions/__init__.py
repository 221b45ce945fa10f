"""Inbound postbacks to conversions, with all that follows from them."""

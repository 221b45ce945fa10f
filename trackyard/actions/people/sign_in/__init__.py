"""Signing in, with a password or with a link."""

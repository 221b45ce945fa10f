"""Backups: where they are kept, their parts, and copies of the SQL database."""

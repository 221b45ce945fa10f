"""Limits of callers that hold over the APIs of all machines."""

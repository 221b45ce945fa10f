"""Requests, answers and connections of the tracking listener."""

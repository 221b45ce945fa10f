"""The tracking listener: the hot path from a request to a recorded click."""

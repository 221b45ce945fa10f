"""The URL that a click is sent to."""

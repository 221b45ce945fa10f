"""From a request to parameters."""

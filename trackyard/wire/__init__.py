"""The conventions of the API, apart from any endpoint."""

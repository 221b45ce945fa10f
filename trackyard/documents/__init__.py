"""Documents as content, and what is drawn of it (docs/spec/documents.md)."""

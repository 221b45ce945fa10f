"""Documents about money: what they say, their files, who gets them (docs/spec/documents.md)."""

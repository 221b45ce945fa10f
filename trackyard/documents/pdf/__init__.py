"""Documents as PDF files, drawn by a process of its own (docs/spec/documents.md#pdf)."""

"""Reports as PDF, drawn by a process of its own (docs/spec/console.md#pdf-of-a-report)."""

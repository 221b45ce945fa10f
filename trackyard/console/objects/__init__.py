"""What pages of objects share (docs/spec/console.md)."""

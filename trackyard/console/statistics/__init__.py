"""Pages about statistics."""

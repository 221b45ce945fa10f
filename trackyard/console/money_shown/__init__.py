"""Money as staff and affiliates see it: statements, and words for what payments pay."""

"""What people keep for themselves."""

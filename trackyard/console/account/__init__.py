"""Pages of one's own account: signing in and out, passwords."""

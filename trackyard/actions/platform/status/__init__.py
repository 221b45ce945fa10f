"""The state of the platform, for administrators."""

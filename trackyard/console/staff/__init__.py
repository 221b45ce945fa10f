"""The pages of staff users."""

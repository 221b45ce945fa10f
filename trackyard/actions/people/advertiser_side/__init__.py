"""What advertisers do and see themselves."""

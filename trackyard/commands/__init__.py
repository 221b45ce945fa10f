"""What `trackyard NAME` does beside serving, one file a command."""

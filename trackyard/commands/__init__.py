"""What `trackyard NAME` does beside serving, one file or folder a command."""

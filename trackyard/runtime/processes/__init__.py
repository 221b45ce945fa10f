"""The processes of `trackyard serve`: how each of them ends."""

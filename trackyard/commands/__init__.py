"""The commands of `trackyard` apart from serving, one file or folder each."""

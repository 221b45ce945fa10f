"""The frame of the command line: groups, options, output and the page of the commands."""

"""The declarations of the commands by section. They import what a command needs when it runs."""

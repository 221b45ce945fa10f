"""One file for each tracking address."""

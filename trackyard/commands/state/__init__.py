"""What a server is and does: its status, its settings and what is wrong with them."""

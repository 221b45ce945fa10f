"""What is known of a visitor: address, user agent, client hints."""

"""Which visitors an offer accepts."""

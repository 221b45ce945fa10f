"""From the inbox to conversions, with all that follows."""

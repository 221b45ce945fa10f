"""Messages of staff to affiliates: written, then sent (docs/spec/messages.md)."""

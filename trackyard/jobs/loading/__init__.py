"""From the journal and the outbox to the analytic store, the inbox and the edges."""

"""Money: payments, invoices, currencies, referrals and the ledger."""

"""What all pages share: sessions, routing, forms, tables, templates."""

"""Platform: settings, files, domains, news, erasures, rebuilds."""

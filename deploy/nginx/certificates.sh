#!/bin/sh
# Get a certificate for each name that nginx serves and that has none: the names given, and every tracking domain that the
# API knows. certbot renews them by itself. Run it as root, once by hand and then by cron, such as every 5 minutes.
# usage: API_KEY=KEY certificates.sh api.example.com go.example.com
set -eu
place=${LETSENCRYPT:-/etc/letsencrypt}
group=${NGINX_GROUP:-www-data} # of nginx's workers, which read the keys
domains=$(curl --fail --silent --show-error --header "API-Key: $API_KEY" http://127.0.0.1:8000/3.1/admin/domains |
  python3 -c 'import json, sys; print(*(each["url"] for each in json.load(sys.stdin)["domains"].values()))')
readable="chgrp $group \"\$RENEWED_LINEAGE\"/*.pem && chmod g+r \"\$RENEWED_LINEAGE\"/*.pem"
for name in "$@" $domains; do
  [ -e "$place/live/$name/fullchain.pem" ] && continue
  certbot certonly --non-interactive --webroot --webroot-path /var/www/acme --domain "$name" --deploy-hook "$readable" ||
    echo "No certificate for $name: does the name lead to this machine?" >&2
done
for directory in "$place/live" "$place/archive"; do
  if [ -d "$directory" ]; then
    chgrp "$group" "$directory"
    chmod g+x "$directory"
  fi
done

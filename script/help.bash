# Read by the other scripts first: `--help` prints the comment at the top of a script and ends it, before anything is
# installed or measured.
case "${1:-}" in
-h | --help)
  awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
  exit 0
  ;;
esac

# The other scripts source this first: `--help` prints the comment at the top of a script and exits before anything is
# installed or measured.
case "${1:-}" in
-h | --help)
  awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
  exit 0
  ;;
esac

# Keep byte code, so that the processes that a script starts do not compile every module again.
unset PYTHONDONTWRITEBYTECODE

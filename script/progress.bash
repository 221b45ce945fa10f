# Other scripts source this for `quietly`, which shows one line while a command runs.

# quietly TEXT LOG COMMAND...: run a command with its output in the file LOG, and show TEXT and the seconds in one line.
# When it fails, show the end of the file as well, and return its status.
quietly() {
  local text=$1 log=$2 begun=$SECONDS status=0 running=""
  shift 2
  : >"$log"
  if [ -t 2 ]; then
    set -m # a group of its own, which Ctrl-C does not reach
    "$@" >>"$log" 2>&1 </dev/null &
    running=$!
    set +m
    trap 'kill -- "-$running" 2>/dev/null; echo >&2; exit 130' INT TERM
    while kill -0 "$running" 2>/dev/null; do
      printf '\r%s ... %d s' "$text" $((SECONDS - begun)) >&2
      sleep 0.5
    done
    wait "$running" || status=$?
    trap - INT TERM
    printf '\r%s ... %d s\n' "$text" $((SECONDS - begun)) >&2
  else
    echo "$text" >&2
    "$@" >>"$log" 2>&1 </dev/null || status=$?
  fi
  if [ "$status" != 0 ]; then
    tail -n 30 "$log" >&2
    echo "That failed with status $status after $((SECONDS - begun)) s. The whole output is in $log." >&2
  fi
  return "$status"
}

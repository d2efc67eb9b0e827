# tutti bind: binds, prints its line on standard error, becomes the command.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
tutti="$BIN/tutti"
[ -x "$tutti" ] || { echo "no $tutti"; exit 77; }
cpus=$(cut -d, -f1 /sys/devices/system/node/node0/cpulist 2>/dev/null | cut -d- -f1) || exit 77

# The command runs in the same process, with its arguments and its exit status.
out=$(LOCAL_RANK=0 LOCAL_WORLD_SIZE=2 "$tutti" bind -- sh -c 'echo "$1 $$"; exit 5' sh "two words" 2>"${TMPDIR:-/tmp}/bind.$$") && fail "exit status lost" || status=$?
line=$(cat "${TMPDIR:-/tmp}/bind.$$"); rm -f "${TMPDIR:-/tmp}/bind.$$"
[ "$status" = 5 ] || fail "exit status $status"
case $out in "two words "*) ;; *) fail "arguments: $out" ;; esac
case $line in "tutti bind: local rank 0 of 2"*"NUMA node 0"*) ;; *) fail "line: $line" ;; esac
[ "$(printf '%s\n' "$line" | wc -l)" = 1 ] || fail "more than one line: $line"

# The affinity is that of the node, even when the launcher had bound to less.
command -v taskset >/dev/null || { echo "no taskset"; exit 77; }
all=$(taskset -c "$cpus" "$tutti" bind -q -- awk '/Cpus_allowed_list/ { print $2 }' /proc/self/status)
expected=$("$tutti" bind -- true 2>&1 | sed 's/.*CPUs \([0-9,-]*\), .*/\1/')
[ "$all" = "$expected" ] || fail "affinity '$all', expected '$expected'"
case $("$tutti" bind -q -- true 2>&1) in "") ;; *) fail "-q prints" ;; esac

# What cannot run says so, as shells do.
"$tutti" bind -q -- no-such-command-here 2>/dev/null && fail "ran nothing" || status=$?
[ "$status" = 127 ] || fail "missing command gives $status"
"$tutti" bind 2>/dev/null && fail "no command is no error" || true

# Under mpirun each rank says its own line.
if command -v mpirun >/dev/null; then
  lines=$(mpirun --allow-run-as-root --oversubscribe -np 2 "$tutti" bind -- true 2>&1 | grep -o 'tutti bind: local rank [01] of 2' | sort -u | wc -l)
  [ "$lines" = 2 ] || fail "$lines lines of 2 ranks under mpirun"
fi
echo passed

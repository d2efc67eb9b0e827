#!/bin/bash
# `tutti bench sweep` in fresh processes: interrupted and resumed, with nccl-tests' program, and where a launch fails.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
sweep() { "$BIN/tutti" bench sweep "$@"; }

# A launcher of our own: it counts launches, and prints what nccl-tests would, quicker for trees.
cat > "$folder/launch" << 'END'
#!/bin/bash
echo "$*" >> "$0.log"
[ -z "${SLOW:-}" ] || sleep "$SLOW"
exec "$@"
END
cat > "$folder/all_reduce_perf" << 'END'
#!/bin/bash
[ "$NCCL_PROTO" != LL128 ] || { echo "# heading"; echo "node1: Test NCCL failure: invalid usage"; exit 3; }
us=20; [ "$NCCL_ALGO" != Tree ] || us=10
echo "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong"
for size in 1024 4096; do
  echo "$size 256 float sum -1 99.0 0.1 0.1 0 $us.5 0.1 0.1 0"
done
END
chmod +x "$folder/launch" "$folder/all_reduce_perf"
perf() { sweep --launcher "$folder/launch -x" --program "$folder/all_reduce_perf" --sizes 1K,4K "$@"; }
sed -i 's/^exec "$@"/shift; exec "$@"/' "$folder/launch"

perf --launches 3 --json "$folder/a.json" > "$folder/out" || fail "exit status $?"
grep -q 'ring ll128 .*exit status 3: node1: Test NCCL failure' "$folder/out" || fail "a failing launch is not told"
grep -q 'tree ll$\|tree simple$' "$folder/out" || fail "no winner"
[ "$(wc -l < "$folder/launch.log")" = 14 ] || fail "$(wc -l < "$folder/launch.log") launches, not 3 of 4 ways and 1 of 2"
# Interleaved: a round begins with another combination than the one before.
[ "$(sed -n 1p "$folder/launch.log")" != "$(sed -n 7p "$folder/launch.log")" ] || fail "rounds begin alike"

# Complete: nothing is launched again; one more round is.
perf --launches 3 --json "$folder/a.json" > /dev/null || fail "exit status $? of a complete one"
[ "$(wc -l < "$folder/launch.log")" = 14 ] || fail "a complete sweep was launched again"
perf --launches 4 --json "$folder/a.json" > /dev/null || fail "exit status $? of one more round"
[ "$(wc -l < "$folder/launch.log")" = 18 ] || fail "one more round launched $(wc -l < "$folder/launch.log")"

# Interrupted: the launch that ran is ended with it, what was measured stays, the rest follows.
: > "$folder/launch.log"
SLOW=0.4 "$BIN/tutti" bench sweep --launcher "$folder/launch -x" --program "$folder/all_reduce_perf" --sizes 1K,4K \
  --protocol ll,simple --launches 2 --json "$folder/b.json" > /dev/null & job=$!
for _ in $(seq 200); do
  [ "$(wc -l < "$folder/launch.log")" -ge 3 ] && break
  sleep 0.05
done
kill "$job"
wait "$job" 2> /dev/null
before=$(wc -l < "$folder/launch.log")
grep -q '"complete": false' "$folder/b.json" || fail "an interrupted sweep left no file, or says it is complete"
perf --protocol ll,simple --launches 2 --json "$folder/b.json" > /dev/null || fail "exit status $? of a resumed one"
grep -q '"complete": true' "$folder/b.json" || fail "a resumed sweep is not complete"
again=$(($(wc -l < "$folder/launch.log") - before))
[ "$again" -lt 8 ] || fail "a resumed sweep launched all $again again"

if python3 -c 'import jsonschema' 2> /dev/null; then
  sweep --simulate 8xA100-hdr --nodes 2 --sizes 1M --set sharp=on --algorithm ring,switch_reduction --quiet --json "$folder/c.json"
  python3 - "$(dirname "$0")/../../docs/schema/sweep.schema.json" "$folder"/[abc].json << 'END' || fail "a file is not as the schema says"
import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
for name in sys.argv[2:]:
    jsonschema.validate(json.load(open(name)), schema)
broken = json.load(open(sys.argv[2]))
del broken["simulated"]
try:
    jsonschema.validate(broken, schema)
except jsonschema.ValidationError:
    sys.exit(0)
sys.exit("a file that does not say whether it is simulated was taken")
END
else
  echo "there is no python3-jsonschema: files were not compared with their schema"
fi

# A launch that hangs is ended at the limit, and said so.
SLOW=60 sweep --launcher "$folder/launch -x" --program "$folder/all_reduce_perf" --sizes 1K,4K --algorithm ring \
  --protocol ll --limit 0.5 > "$folder/out" 2>&1 && fail "nothing measured is no error"
grep -q 'more than 0.5 s' "$folder/out" || fail "no word of the limit: $(cat "$folder/out")"
sweep --launcher "$folder/no-such-launcher -x" --algorithm ring --sizes 1K > "$folder/out" 2>&1 && fail "no launcher is no error"
grep -q 'cannot be started' "$folder/out" || fail "no word of the launcher: $(cat "$folder/out")"
sweep --simulate 8xA100-hdr --sizes 1K --json /nowhere/a.json > "$folder/out" 2>&1 && fail "/nowhere was taken"

if command -v gnuplot > /dev/null; then
  sweep --simulate 8xA100-hdr --nodes 2 --quiet --plot "$folder/a.svg" || fail "exit status $? with --plot"
  grep -q 'SIMULATED' "$folder/a.svg" || fail "the plot does not say that it is simulated"
else
  echo "there is no gnuplot: no plot was drawn"
fi

# The real thing: tutti's own ranks.
if command -v mpirun > /dev/null; then
  sweep --launcher "mpirun --oversubscribe -np 2" --algorithm one_shot,two_shot --sizes 1K,64K --launches 1 --seconds 0.2 \
    --set queue_pairs=4 > "$folder/out" 2> "$folder/err"
  status=$?
  if [ $status = 0 ]; then
    grep -q 'us, measured' "$folder/out" || fail "no table of what was measured"
    grep -q "engines between processors read none of these settings" "$folder/out" || fail "no word that settings are idle"
  else
    grep -q 'excluded\|could be measured' "$folder/err" || fail "no reason: $(cat "$folder/err")"
    echo "mpirun does not run here: $(cat "$folder/err")"
  fi
fi

[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }

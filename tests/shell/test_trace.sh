#!/bin/bash
# A traced job of two processes: its timeline against the schema, who was late, and what a tool that listens to NVTX hears.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
run() { timeout 120 bash "$root/tests/torchrun" 2 "$BIN/tutti" bench all_reduce --sizes 8,70000 -n 20 -w 1 -c 0 --quiet; }

TUTTI_TRACE=$folder/traces run > "$folder/out" 2>&1 || { cat "$folder/out"; fail "exit status $? of a traced job"; }
[ "$(ls "$folder/traces" | wc -l)" = 2 ] || fail "not a trace for each rank: $(ls "$folder/traces")"
"$BIN/tutti" trace "$folder/traces" -o "$folder/timeline.json" --late 0 > "$folder/table" || fail "exit status $? of tutti trace"
grep -q '^2 of 2 ranks, [1-9][0-9]* calls' "$folder/table" || fail "the table says: $(cat "$folder/table")"

python3 - "$folder/timeline.json" "$root/docs/schema/trace.schema.json" << 'END' || fail "the timeline is not right"
import json, sys
timeline = json.load(open(sys.argv[1]))
try:
    import jsonschema
    schema = json.load(open(sys.argv[2]))
    jsonschema.validate(timeline, schema)
    broken = json.loads(json.dumps(timeline))
    next(event for event in broken["traceEvents"] if event["ph"] == "X").pop("dur")
    try:
        jsonschema.validate(broken, schema)
        sys.exit("the schema takes everything")
    except jsonschema.ValidationError:
        pass
except ImportError:
    print("there is no python3-jsonschema: the timeline was not compared with its schema")
events = timeline["traceEvents"]
calls = [event for event in events if event.get("cat") == "call"]
assert timeline["otherData"]["lost"] == 0 and timeline["otherData"]["calls"] == len(calls)
per_rank = {rank: [call for call in calls if call["pid"] == rank] for rank in (0, 1)}
collectives = {rank: sorted((call["tid"], call["args"]["turn"], call["name"]) for call in per_rank[rank]) for rank in per_rank}
assert len(per_rank[0]) > 40 and collectives[0] == collectives[1], "the ranks' calls do not belong together"
# In a thread, slices lie beside or inside one another, as Perfetto needs it; waits lie in calls.
for rank in per_rank:
    for tid in {call["tid"] for call in per_rank[rank]}:
        line = sorted((call["ts"], call["ts"] + call["dur"]) for call in per_rank[rank] if call["tid"] == tid)
        assert all(a[1] <= b[0] + 0.0011 for a, b in zip(line, line[1:])), "calls of one thread overlap"
inside = lambda event, end: any(call["pid"] == event["pid"] and call["tid"] == event["tid"] and call["ts"] <= event["ts"]
                                and end <= call["ts"] + call["dur"] + 0.0011 for call in calls)
waits = [event for event in events if event.get("cat") == "wait"]
assert waits and all(inside(wait, wait["ts"] + wait["dur"]) for wait in waits)
arrows = [event for event in events if event["ph"] in "sf"]
assert arrows and all(inside(arrow, arrow["ts"]) for arrow in arrows)
assert sorted(e["id"] for e in arrows if e["ph"] == "s") == sorted(e["id"] for e in arrows if e["ph"] == "f")
END

# A second run into the same folder: the newest is taken, the other one named.
sleep 1
TUTTI_TRACE=$folder/traces run > /dev/null 2>&1 || fail "a second run"
"$BIN/tutti" trace "$folder/traces" > "$folder/table" || fail "two runs in a folder"
other=$(sed -n 's/^An earlier run is left out: --run //p' "$folder/table")
[ -n "$other" ] || fail "the earlier run is not named: $(cat "$folder/table")"
"$BIN/tutti" trace "$folder/traces" --run "$other" | grep -q '^2 of 2 ranks' || fail "the earlier run cannot be chosen"
"$BIN/tutti" trace "$folder/traces" --run 12 > "$folder/out" 2>&1 && fail "a run that there is not"
grep -q "there is no run 12; there are .*$other" "$folder/out" || fail "it says: $(cat "$folder/out")"
for place in "$folder" /no/such/folder; do
  "$BIN/tutti" trace "$place" > "$folder/out" 2>&1 && fail "no traces in $place"
  grep -q 'TUTTI_TRACE' "$folder/out" || fail "no remedy for $place: $(cat "$folder/out")"
done

# A process that is killed leaves its trace up to that moment.
TUTTI_TRACE=$folder/killed timeout -s KILL 1 "$BIN/tutti" bench all_reduce --ranks 2 --sizes 8 -n 100000000 -c 0 --quiet > /dev/null 2>&1
"$BIN/tutti" trace "$folder/killed" > "$folder/table" || fail "a killed job's traces: $(cat "$folder/table")"
grep -q 'The trace of rank 1 has no end' "$folder/table" || fail "nothing of the end: $(cat "$folder/table")"

# NVTX, by a tool of our own.
tool=$BIN/../fakes/libnvtx_tool.so
if [ -e "$tool" ]; then
  NVTX_INJECTION64_PATH=$tool FAKE_NVTX_OUTPUT=$folder/nvtx timeout 60 "$BIN/tutti" bench all_reduce --ranks 1 --sizes 70000 -n 20 -w 1 -c 0 --quiet ||
    fail "exit status $? with a tool that listens"
  grep -q '^domain tutti$' "$folder/nvtx" || fail "no domain"
  starts=$(grep -c '^start [0-9]* ours ' "$folder/nvtx")
  [ "$starts" -ge 20 ] && [ "$starts" = "$(grep -c '^end' "$folder/nvtx")" ] || fail "$starts ranges do not all end"
  [ -z "$(sed -n 's/^start \([0-9]*\) .*/\1/p' "$folder/nvtx" | sort | comm -3 - <(sed -n 's/^end //p' "$folder/nvtx" | sort))" ] ||
    fail "other ranges end than began"
  grep -q 'all_reduce bytes=70000 elements=17500 turn=[0-9]* communicator=[0-9]* rank=0 ranks=1 root or peer=-1 type=float32 algorithm=' "$folder/nvtx" ||
    fail "no payload: $(grep -m 1 all_reduce "$folder/nvtx")"
else
  echo "there is no NVTX header in this build: ranges were not tested"
fi

[ $failures -eq 0 ] || cat "$folder/table"
exit $((failures > 0))

#!/bin/bash
# `tutti bench` as one runs it: the table, its files, its exit statuses and its words when something is wrong.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

out=$folder/out
"$BIN/tutti" bench all_reduce --ranks 2 --sizes 8,1000,70000 --algorithm all -n 3 -w 1 \
  --json "$folder/bench.json" --csv "$folder/bench.csv" > "$out" || fail "exit status $? of a good run"
grep -q '#wrong' "$out" || fail "no column #wrong"
grep -q '# wrong values: 0 OK' "$out" || fail "no last line about wrong values"
grep -q $'\r' "$out" && fail "a progress line in a pipe"

# Every row of the JSON is a line of the CSV, in the same order.
python3 - "$folder/bench.json" "$folder/bench.csv" << 'END' || fail "JSON and CSV differ"
import csv, json, sys
rows = json.load(open(sys.argv[1]))["rows"]
lines = list(csv.DictReader(open(sys.argv[2])))
assert len(rows) == len(lines) >= 3 * 2 * 5, (len(rows), len(lines))
for row, line in zip(rows, lines):
    assert list(row) == list(line), "columns"
    assert str(row["size_bytes"]) == line["size_bytes"] and row["algorithm"] == line["algorithm"], line
    assert row["wrong"] == 0 and row["time_us"] > 0 and row["iterations"] == 3, row
END

if python3 -c 'import jsonschema' 2> /dev/null; then
  python3 - "$folder/bench.json" "$root/docs/schema/bench.schema.json" << 'END' || fail "the JSON is not as its schema says"
import copy, json, jsonschema, sys
report, schema = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
jsonschema.validate(report, schema)
broken = copy.deepcopy(report)  # the schema can tell
del broken["rows"][0]["time_us"]
try:
    jsonschema.validate(broken, schema)
except jsonschema.ValidationError:
    sys.exit(0)
sys.exit("a row without a time was taken")
END
else
  echo "there is no python3-jsonschema: the JSON was not compared with its schema"
fi

# Time goes before completeness, and the table says so.
"$BIN/tutti" bench all_reduce --ranks 2 --sizes 4M --in-place 0 --seconds 0.01 > "$out" || fail "exit status $? when short of time"
grep -q 'only .* iterations' "$out" || fail "few iterations were not named"
grep -q '# wrong values: 0 OK' "$out" || fail "short of time, nothing was checked"

if command -v gnuplot > /dev/null; then
  for kind in svg png; do
    "$BIN/tutti" bench barrier --ranks 2 -n 2 > /dev/null || fail "barrier"
    "$BIN/tutti" bench all_reduce --ranks 2 --sizes 8,64K -n 2 --quiet --plot "$folder/bench.$kind" > "$out" ||
      fail "exit status $? with --plot bench.$kind"
    [ -s "$folder/bench.$kind" ] || fail "no bench.$kind"
    [ -s "$out" ] && fail "--quiet printed something"
  done
  grep -q '<svg' "$folder/bench.svg" || fail "bench.svg is no SVG"
  head -c 4 "$folder/bench.png" | grep -q PNG || fail "bench.png is no PNG"
else
  echo "there is no gnuplot: no plots were drawn"
fi

# What cannot be is refused before anything is measured, by name and with what would do instead.
refused() {
  local word=$1
  shift
  "$BIN/tutti" bench "$@" > "$out" 2>&1 && fail "bench $* was taken"
  grep -q -e "$word" "$out" || fail "bench $*: no word of $word, but: $(head -3 "$out")"
}
refused everything everything
refused quick all_reduce --ranks 2 --algorithm quick
refused --nonsense all_reduce --nonsense
refused 'one of 2 ranks' broadcast --ranks 2 --root 7
refused seconds all_reduce --ranks 2 --seconds 0
refused mpirun all_reduce --ranks 2 --peer mpi
refused nowhere all_reduce --ranks 2 --sizes 8 -n 1 --json /nowhere/bench.json
refused bench.pdf all_reduce --ranks 2 --plot bench.pdf

[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }

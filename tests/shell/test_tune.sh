#!/bin/bash
# `tutti tune`: threads and processes into one file, which bench, explain and communicators take; refused elsewhere.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
file="$folder/tuning.json"
[ "$(nproc)" -ge 2 ] || { echo "nothing tested: tuning needs two processors, and there is one"; exit 77; }
quick=(--collective all_reduce,broadcast --max 4K --seconds 1)

"$BIN/tutti" tune "$file" "${quick[@]}" --ranks 2 > "$folder/out" || fail "exit status $?"
grep -q '^all_reduce among 2 threads$' "$folder/out" || fail "no table of threads"
grep -q '^broadcast among 2 threads$' "$folder/out" || fail "no table of broadcast"
"$BIN/tutti" tune --show "$file" > "$folder/shown" || fail "exit status $? of --show"
cmp -s "$folder/out" "$folder/shown" || fail "--show prints something else than the run"

# What is there stays when something else is added.
if command -v mpirun > /dev/null && "$BIN/tutti" bench --help | grep -q peer; then
  mpirun --allow-run-as-root --oversubscribe -np 2 "$BIN/tutti" tune "$file" "${quick[@]}" > "$folder/mpi" || fail "exit status $? under mpirun"
  for table in '2 threads' '2 processes' '2 segments'; do
    grep -q "^all_reduce among $table\$" "$folder/mpi" || fail "no table of $table"
  done
fi

# It is used: every rank by the same table.
"$BIN/tutti" bench all_reduce --ranks 2 --sizes 1K -n 3 -w 1 --tuning "$file" > /dev/null || fail "exit status $? of bench"
"$BIN/tutti" explain all_reduce 1K --here --ranks 2 --tuning "$file" > "$folder/explained" || fail "exit status $? of explain"
grep -q 'as tutti tune measured it' "$folder/explained" || fail "explain tells no measured time"

# Bad files: named, with the place, and nothing is measured.
refused() {
  local words="$1"; shift
  "$@" > "$folder/told" 2>&1 && fail "not refused: $*"
  grep -q -- "$words" "$folder/told" || fail "no '$words' in: $(cat "$folder/told")"
}
head -c 500 "$file" > "$folder/cut.json"
refused 'cut.json:.*this is no JSON' "$BIN/tutti" bench all_reduce --ranks 2 --tuning "$folder/cut.json"
sed 's/"version": 1/"version": 7/' "$file" > "$folder/new.json"
refused 'new.json.version: this build reads version 1, found 7' "$BIN/tutti" tune "$folder/new.json" "${quick[@]}"
sed 's/"cpus": "[0-9]*"/"cpus": "999"/' "$file" > "$folder/edited.json"
refused 'edited.json.fingerprint: .* the file was changed' "$BIN/tutti" tune "$folder/edited.json"
refused '/nonexistent' "$BIN/tutti" bench all_reduce --ranks 2 --tuning /nonexistent
refused 'nowhere' "$BIN/tutti" tune "$folder/nowhere/x.json" "${quick[@]}"
# Of another machine: the fingerprint that its facts make is told by the file that was edited.
print=$("$BIN/tutti" tune "$folder/edited.json" 2>&1 | sed 's/.* make \([0-9a-f]*\):.*/\1/')
sed "s/\"fingerprint\": \"[0-9a-f]*\"/\"fingerprint\": \"$print\"/" "$folder/edited.json" > "$folder/other.json"
refused "other.json was measured on another machine, $print, .*cpus: 999 there" "$BIN/tutti" tune "$folder/other.json"
refused "other.json was measured on another machine" "$BIN/tutti" bench all_reduce --ranks 2 --tuning "$folder/other.json"
"$BIN/tutti" tune "$folder/other.json" "${quick[@]}" --fresh --quiet || fail "exit status $? of --fresh"
[ "$failures" = 0 ]

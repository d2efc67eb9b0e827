#!/bin/bash
# `tutti bench` on devices: one line where there is no GPU, and the same tables among emulated ones.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
out=$folder/out

# The real libraries, whatever there is of them.
for engine in cuda nccl; do
  if nvidia-smi -L > /dev/null 2>&1; then
    echo "there is a GPU: what is said without one was not looked at"
    break
  fi
  "$BIN/tutti" bench all_reduce --engine $engine > "$out" 2>&1 && fail "--engine $engine found a GPU"
  [ "$(wc -l < "$out")" -eq 1 ] || fail "--engine $engine says more than a line: $(cat "$out")"
  grep -q 'tutti: rank [01]: .*;.*\[unsupported' "$out" || fail "--engine $engine: no cause and remedy: $(cat "$out")"
done

refused() {
  local word=$1
  shift
  "$BIN/tutti" bench "$@" > "$out" 2>&1 && fail "bench $* was taken"
  grep -q -e "$word" "$out" || fail "bench $*: no word of $word, but: $(head -3 "$out")"
}
refused quick all_reduce --engine quick
refused 'max_ctas' all_reduce --engine nccl --channels 2
refused 'leave --buffers out' all_reduce --engine cuda --buffers shared

if [ ! -e "$BIN/../emulated/libtutti_emulated_collectives.so" ]; then
  echo "this build has no emulated kernels: nothing ran on emulated GPUs"
else
  refused '1 to 64 devices' all_reduce --engine cuda --emulated -1
  refused 'name the engine' all_reduce --emulated 2
  refused 'CudaSettings::channels is 65' all_reduce --engine cuda --emulated 2 --channels 65
  for engine in cuda nccl; do
    "$BIN/tutti" bench all_reduce --engine $engine --emulated 4 --sizes 8,40000 -n 2 -w 1 > "$out" ||
      fail "exit status $? of --engine $engine --emulated 4"
    grep -q 'emulated: no timing' "$out" || fail "--engine $engine: times of emulated GPUs are not marked"
    grep -q 'ranks 4 ' "$out" || fail "--engine $engine: not a rank for each device"
    grep -q '# wrong values: 0 OK' "$out" || fail "--engine $engine: $(tail -3 "$out")"
    [ "$(grep -c " $engine " "$out")" -ge 2 ] || fail "--engine $engine: its rows have another engine"
  done
  "$BIN/tutti" bench all_gather --engine cuda --emulated 2 --sizes 4096 --algorithm all --channels 3 -n 1 -w 1 > "$out" ||
    fail "exit status $? of all_gather"
  grep -q 'ring/' "$out" || fail "the decision does not name the algorithm: $(cat "$out")"
fi

[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }

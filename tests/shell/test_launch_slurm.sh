# examples/launch/slurm.sbatch under a Slurm of one node, which is started for this (tests/launch/slurm).
set -eu
[ -x "$BIN/tutti" ] || { echo "no $BIN/tutti"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp)
trap 'rm -f "$out"' EXIT
export PATH=$BIN:$PATH
export recipe=$here/../../examples/launch/slurm.sbatch out
cd /
"$here/../launch/slurm" bash -c '
  set -eu
  fail() { echo "FAILED: $*" >&2; cat "$out" >&2; exit 1; }
  # sbatch --wait looks every few seconds only.
  submit() {
    id=$(sbatch --parsable --nodes=1 --ntasks-per-node=2 --gres=none -o "$out" "$recipe" "$@")
    while [ -n "$(squeue -h -j "$id" -t PD,R,CG 2> /dev/null)" ]; do sleep 0.1; done
    scontrol -o show job "$id" | grep -q "JobState=COMPLETED"
  }
  submit tutti bench all_reduce --sizes 8,70000 -n 3 -w 1 || fail "the job failed"
  grep -q "ranks 2 (Slurm)" "$out" || fail "not two ranks of Slurm"
  grep -q "wrong values: 0 OK" "$out" || fail "no result"
  [ "$(grep -o "tutti bind: local rank [01] of 2" "$out" | sort -u | wc -l)" = 2 ] || fail "not two ranks were placed"
  if submit false; then fail "a failure is hidden"; fi
  # What the job sees is what tutti doctor is told: Slurm gives each task one CPU here.
  srun -n 2 tutti doctor --format json > "$out" || [ $? -le 3 ]
  grep -q "\"id\": \"bound-to-one-cpu\"\|\"id\": \"slurm-one-cpu\"" "$out" || fail "one CPU for each task is not seen"
  echo passed'

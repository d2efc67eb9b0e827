# Recipes of examples/launch: mpirun, torchrun's options and variables, the Kubernetes manifest, binding lines.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
[ -x "$BIN/tutti" ] || { echo "no $BIN/tutti"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
recipes=$here/../../examples/launch
PATH=$BIN:$PATH
unset NCCL_IB_HCA CUDA_VISIBLE_DEVICES

for script in "$recipes"/*.sh "$recipes"/slurm.sbatch; do bash -n "$script" || fail "$script"; done

# Lines of both kinds of nodes are what is printed for them.
for node in dgx-a100 dgx-h100; do
  "$recipes/binding.sh" $node | diff - "$recipes/binding-$node.txt" || fail "binding-$node.txt is not what binding.sh prints"
done

# Two ranks that reduce, placed, under each launcher; a command that fails fails the job.
job="tutti bench all_reduce --sizes 8,70000 -n 3 -w 1"
if command -v mpirun > /dev/null; then
  out=$(NCCL_DEBUG=WARN MPIRUN_FLAGS="--allow-run-as-root --oversubscribe" "$recipes/mpirun.sh" 2 -- $job 2>&1) || fail "mpirun.sh: $out"
  case $out in *"ranks 2 ("*"MPI)"*"wrong values: 0 OK"*) ;; *) fail "mpirun.sh: $out" ;; esac
  # Ranks may write into one another's lines.
  [ "$(printf '%s\n' "$out" | grep -o 'tutti bind: local rank [01] of 2' | sort -u | wc -l)" = 2 ] || fail "not two ranks were placed: $out"
  MPIRUN_FLAGS="--allow-run-as-root --oversubscribe" "$recipes/mpirun.sh" 2 -- false > /dev/null 2>&1 && fail "mpirun.sh hides a failure"
else
  echo "mpirun is not here: its recipe was not run"
fi
# Over several hosts: what mpirun would be given.
out=$(NCCL_DEBUG=WARN HOSTS=hosts.txt MPIRUN=echo "$recipes/mpirun.sh" 16 -- ./train -x 1)
case $out in "-np 16 --bind-to none --hostfile hosts.txt --map-by ppr:8:node "*"-x NCCL_DEBUG "*"tutti bind -- ./train -x 1") ;;
  *) fail "mpirun.sh: $out" ;; esac

export TORCHRUN=$here/../launch/torchrun
out=$(PER_HOST=2 "$recipes/torchrun.sh" $job 2>&1) || fail "torchrun.sh: $out"
case $out in *"ranks 2 (torchrun"*"wrong values: 0 OK"*) ;; *) fail "torchrun.sh: $out" ;; esac
out=$(NODES=2 HEAD=n01 "$recipes/torchrun.sh" ./train --epochs 3) || fail "torchrun.sh: $out"
[ "$out" = "torchrun: 2 nodes of 8: tutti bind -- ./train --epochs 3" ] || fail "torchrun.sh: $out"
NODES=2 "$recipes/torchrun.sh" ./train > /dev/null 2>&1 && fail "torchrun.sh needs no HEAD"
PER_HOST=2 "$recipes/torchrun.sh" false > /dev/null 2>&1 && fail "torchrun.sh hides a failure"

for recipe in mpirun.sh slurm.sbatch torchrun.sh; do
  status=0
  "$recipes/$recipe" > /dev/null 2>&1 || status=$?
  [ "$status" != 0 ] || fail "$recipe runs without a command"
done

status=0
python3 "$here/../launch/manifest.py" "$recipes/mpijob.yaml" || status=$?
[ "$status" = 77 ] || [ "$status" = 0 ] || fail "mpijob.yaml"
echo passed

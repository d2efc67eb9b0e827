#!/usr/bin/env bash
# Under Open MPI 4 or 5: one rank a GPU, each on the NUMA node of its GPU and with the adapters beside it.
#
#   mpirun.sh 16 -- ./train --epochs 3              # all on this host
#   HOSTS=hosts.txt mpirun.sh 16 -- ./train         # 8 ranks on each host of the file: lines "n01 slots=8"
#
# PER_HOST says otherwise than 8, MPIRUN and MPIRUN_FLAGS what is called and with what else.
set -euo pipefail
ranks=${1:?how many ranks}
[ "${2:-}" = -- ] && [ $# -gt 2 ] || { echo "usage: mpirun.sh RANKS -- COMMAND…" >&2; exit 64; }
shift 2

flags=(-np "$ranks" --bind-to none)  # tutti bind places the ranks; mpirun's own binding would be in its way
if [ -n "${HOSTS:-}" ]; then
  flags+=(--hostfile "$HOSTS" --map-by "ppr:${PER_HOST:-8}:node")
fi
# Settings of these families reach other hosts only when they are named.
for name in $(compgen -e | grep -E '^(NCCL|TUTTI|UCX|CUDA)_' || true) PATH LD_LIBRARY_PATH; do
  [ -z "${!name+set}" ] || flags+=(-x "$name")
done
# shellcheck disable=SC2086  # several flags in one variable
exec "${MPIRUN:-mpirun}" "${flags[@]}" ${MPIRUN_FLAGS:-} tutti bind -- "$@"

#!/usr/bin/env bash
# Under torchrun, which starts the same on every node: one process a GPU.
#
#   torchrun.sh ./train --epochs 3                                    # all GPUs of this host
#   NODES=2 HEAD=n01 torchrun.sh python train.py                      # the same line on both hosts
#
# PER_HOST says otherwise than 8, JOB names the job where several use one head, TORCHRUN says what is called.
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: torchrun.sh COMMAND…" >&2; exit 64; }

flags=(--nnodes="${NODES:-1}" --nproc-per-node="${PER_HOST:-8}" --no-python)
if [ "${NODES:-1}" -gt 1 ]; then
  flags+=(--rdzv-backend=c10d --rdzv-endpoint="${HEAD:?the host that the others come to}:${PORT:-29500}" --rdzv-id="${JOB:-tutti}")
else
  flags+=(--standalone)
fi
exec "${TORCHRUN:-torchrun}" "${flags[@]}" tutti bind -- "$@"

#!/usr/bin/env bash
# The lines by which `tutti bind` would place the 8 ranks of a node, on a machine that is described: no GPU is needed.
#
#   binding.sh dgx-a100        # a preset, or what `tutti topology --format json` wrote on the node
set -euo pipefail
machine=${1:?a preset or a file}
ranks=${2:-8}
for ((rank = 0; rank < ranks; ++rank)); do
  env -u CUDA_VISIBLE_DEVICES -u NCCL_IB_HCA LOCAL_RANK="$rank" LOCAL_WORLD_SIZE="$ranks" \
    tutti bind --dry-run --topology "$machine" -- true 2>&1 | sed 's/^tutti bind: //; s/; a dry run.*//'
done

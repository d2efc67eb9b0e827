#!/bin/bash
# The output that the docs show is what the command prints.
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 "$(dirname "$0")/../outputs.py" "$(dirname "$0")/../.." "$BIN"

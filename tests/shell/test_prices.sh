#!/bin/bash
# Predictions against published tables, where these lie beside the project.
tables="$(dirname "$0")/../../../shared/data/nccl-tests"
validate="$BIN/../bench/validate_prices"
[ -d "$tables" ] || { echo "no published tables in $tables"; exit 77; }
[ -x "$validate" ] || { echo "no bench/validate_prices in this build"; exit 77; }
"$validate" "$tables" --quick || exit 1
"$validate" /nowhere && { echo "a folder that is not there was taken"; exit 1; }
exit 0

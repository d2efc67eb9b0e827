#!/bin/bash
# Predictions against published tables, where these lie: the folder nccl-tests in $TUTTI_FIELD_DATA, or in ../shared/data
# beside the project. Without it the test is skipped.
tables="${TUTTI_FIELD_DATA:-$(dirname "$0")/../../../shared/data}/nccl-tests"
validate="$BIN/../bench/validate_prices"
[ -d "$tables" ] || { echo "nothing tested: no folder $tables; TUTTI_FIELD_DATA names another place"; exit 77; }
[ -x "$validate" ] || { echo "no bench/validate_prices in this build"; exit 77; }
"$validate" "$tables" --quick || exit 1
"$validate" /nowhere && { echo "a folder that is not there was taken"; exit 1; }
exit 0

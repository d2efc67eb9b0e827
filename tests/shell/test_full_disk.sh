# An output that cannot be written is a failure, with a word about it.
set -euo pipefail
[ -w /dev/full ] || { echo "needs /dev/full"; exit 77; }

for command in "topology dgx-a100" "topology dgx-a100 --format json" "plan channels dgx-h100" "place dgx-a100 --format rankfile"; do
  status=0
  said=$("$BIN"/tutti $command 2>&1 > /dev/full) || status=$?
  [ "$status" = 1 ] || { echo "tutti $command: exit status $status"; exit 1; }
  grep -q 'could not be written' <<< "$said" || { echo "tutti $command said: $said"; exit 1; }
done

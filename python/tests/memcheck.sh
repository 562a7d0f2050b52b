#!/usr/bin/env bash
# Runs tests under valgrind: memcheck.sh PYTHON TEST... Python and other modules have errors of their own; what counts
# is an error, or memory lost for good, with the module in its stack.
set -euo pipefail
python=$(realpath -s "$1")
cd "$(dirname "$0")/.."

log=../target/python-memcheck.log
PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 valgrind --log-file="$log" \
    --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    "$python" -m pytest -p no:cacheprovider "${@:2}"
# Without the folder of the checkout, whose name may be that of the module.
here=$(cd .. && pwd -P)
found=$(sed "/Command:/d; s|$here/||g" "$log" | grep -B 12 -A 12 kasoku || true)
if [ -n "$found" ]; then
    echo "$found" >&2
    exit 1
fi
grep -q 'ERROR SUMMARY' "$log"

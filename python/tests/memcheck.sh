#!/usr/bin/env bash
# Runs tests under valgrind: memcheck.sh PYTHON TEST... Fails for errors and definite leaks with Kasoku's module in
# their call stack. Ignores errors and leaks of Python and other modules.
set -euo pipefail
python=$(realpath -s "$1")
cd "$(dirname "$0")/.."

log=../target/python-memcheck.log
PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 valgrind --log-file="$log" \
    --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    "$python" -m pytest -p no:cacheprovider "${@:2}"
# Removes the checkout's path from the log, because it may contain the module's name.
here=$(cd .. && pwd -P)
found=$(sed "/Command:/d; s|$here/||g" "$log" | grep -B 12 -A 12 kasoku || true)
if [ -n "$found" ]; then
    echo "$found" >&2
    exit 1
fi
grep -q 'ERROR SUMMARY' "$log"

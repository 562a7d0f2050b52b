#!/usr/bin/env bash
# Checks that build.sh makes the same bytes twice, in folders with different names, that the provenance is about these
# files and a commit of this repository, that kasoku-proof verified the C libraries for Linux on x86-64, and that Debian's
# lintian finds no error:
#
#   packaging/check.sh OUT       OUT is a folder that build.sh made; the second build is written beside it
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -ne 1 ]; then
    sed -n 's/^#   //p' "$0" >&2
    exit 2
fi
first=$(cd "$1" && pwd)
again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT

# Targets of the first build.
mapfile -t targets < <(printf '%s\n' "$first"/* | sed -nE 's,.*/kasoku-[0-9.]+-(.*)\.(tar\.gz|zip)$,\1,p')
packaging/provenance.py check "$first" .
packaging/verified.py "$first"
lintian --fail-on error "$first"/*.deb
# The second build verifies as much as the first.
KASOKU_PROOF=sample
if grep -q '"calls": "all"' "$first"/*.verification.json; then KASOKU_PROOF=full; fi
export KASOKU_PROOF
KASOKU_BUILD_FOLDER=$again/somewhere/else packaging/build.sh "$again/out" "${targets[@]}" >"$again/log" 2>&1 || {
    tail -n 50 "$again/log" >&2
    exit 1
}
diff "$first/SHA256SUMS" "$again/out/SHA256SUMS"
(cd "$first" && sha256sum --quiet --check SHA256SUMS)
echo "$(wc -l <"$first/SHA256SUMS") files are the same, byte by byte"

#!/usr/bin/env bash
# Fetches NIST's CAVP vectors for AES-GCM (public domain) from PyPI's cryptography_vectors into target/vectors/cavp.
# Skips existing files, and rejects files with a wrong checksum.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly PACKAGE=cryptography_vectors-50.0.2-py3-none-any.whl
readonly URL=https://files.pythonhosted.org/packages/83/a4/a95842e91abd69710682f6e552bdb271c959ad3793b8d5d1e00ca6dc10d5/$PACKAGE
readonly SHA256=51641f03a3eb4edbe9fb68e3a3574d25f86aa502d06391fffa886330d02778a0
readonly FILES='cryptography_vectors/ciphers/AES/GCM/*.rsp'
readonly FOLDER=target/vectors

is_complete() {
    local key_bits
    for key_bits in 128 192 256; do
        [ -s "$FOLDER/cavp/gcmEncryptExtIV$key_bits.rsp" ] && [ -s "$FOLDER/cavp/gcmDecrypt$key_bits.rsp" ] || return 1
    done
    [ "$(cat "$FOLDER/cavp/origin" 2>/dev/null)" = "$SHA256" ]
}

if is_complete; then exit 0; fi

mkdir -p "$FOLDER"
new=$(mktemp -d "$FOLDER/new.XXXXXX")
trap 'rm -rf "$new"' EXIT
curl --fail --silent --show-error --location --retry 3 --retry-all-errors --max-time 300 --output "$new/$PACKAGE" "$URL"
echo "$SHA256  $new/$PACKAGE" | sha256sum --check --quiet
mkdir "$new/cavp"
unzip -q -j "$new/$PACKAGE" "$FILES" -d "$new/cavp"
echo "$SHA256" >"$new/cavp/origin"
rm -rf "$FOLDER/cavp"
mv "$new/cavp" "$FOLDER/cavp"

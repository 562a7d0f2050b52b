#!/usr/bin/env bash
# Builds libkasoku and a jar that contains it, java/target/kasoku-jca-VERSION.jar: java/build.sh [MAVEN'S ARGUMENTS].
# Copies the jar beside the built command, where the laboratory looks for it.
#
# The jar works on this platform, or on the platforms in KASOKU_JAVA_LIBRARIES, each with a library built for it:
#   KASOKU_JAVA_LIBRARIES='linux-x86_64=FILE linux-musl-aarch64=FILE windows-x86_64=FILE' java/build.sh
# The jar also gets the libraries' records of verification (docs/PROOF.md) that are in the folder KASOKU_JAVA_RECORDS.
set -euo pipefail
cd "$(dirname "$0")/.."
JAVA_HOME=$(java/find_jdk.sh)
export JAVA_HOME
unset CARGO_BUILD_TARGET
# Asks Cargo for the target folder, which may be configured.
built=$(cargo metadata --format-version 1 --no-deps --locked |
    sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')/release

read -ra libraries <<<"${KASOKU_JAVA_LIBRARIES:-}"
if [ ${#libraries[@]} = 0 ]; then
    cargo build --release --locked --package kasoku-c
    libraries=("$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)=$built/libkasoku.so")
fi
native=target/java/native
# Also removes earlier libraries that Maven would keep.
rm -rf "$native" java/target/classes/kasoku/jca/native
for library in "${libraries[@]}"; do
    folder=$native/${library%%=*}
    case $folder in
    */windows-*) name=kasoku.dll ;;
    *) name=libkasoku.so ;;
    esac
    mkdir -p "$folder"
    cp "${library#*=}" "$folder/$name"
    sum=$(sha256sum <"$folder/$name" | cut -d ' ' -f 1)
    echo "$sum" >"$folder/$name.sha256"
    if [ -n "${KASOKU_JAVA_RECORDS:-}" ]; then
        find "$KASOKU_JAVA_RECORDS" -maxdepth 1 -name '*.verification.json' \
            -exec grep -qF "\"library_sha256\": \"$sum\"" '{}' \; -exec cp '{}' "$folder/$name.verification.json" \;
    fi
done

# All versions are pinned, so Maven uses the network only for files that it has not fetched before.
mvn --batch-mode --no-transfer-progress --file java/pom.xml "${@:-package}"
jars=(java/target/kasoku-jca-*[0-9].jar)
if [ -f "${jars[0]}" ]; then
    mkdir -p "$built"
    cp "${jars[@]}" "$built/"
fi

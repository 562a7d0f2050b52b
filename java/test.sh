#!/usr/bin/env bash
# Runs all checks of the Java provider: java/test.sh. Reports missing programs and files, or fails if CI=true.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v mvn >/dev/null || ! JAVA_HOME=$(java/find_jdk.sh); then
    echo "The Java provider was not tested: it needs Maven (Debian: maven) and a JDK 22 or later" >&2
    [ -z "${CI:-}" ]
    exit
fi
export JAVA_HOME
vectors/fetch_wycheproof.sh
vectors/fetch_cavp.sh || echo "The CAVP vectors could not be fetched; the test that needs them will say so" >&2

java/build.sh # also runs the unit tests
jars=(java/target/kasoku-jca-*.jar)
first=$(sha256sum "${jars[@]}")
java/build.sh clean package -DskipTests
if [ "$first" != "$(sha256sum "${jars[@]}")" ]; then
    echo "The same sources gave other jars" >&2
    exit 1
fi

# Tests the jar by itself, as users have it.
jar=$(realpath java/target/kasoku-jca-*[0-9].jar)
expect() {
    local pattern=$1 said
    shift
    if ! said=$("$JAVA_HOME/bin/java" "$@" 2>&1) || ! [[ "$said" =~ $pattern ]]; then
        printf 'java %s\nsaid:\n%s\n' "$*" "$said" >&2
        exit 1
    fi
}
sources=$PWD
cd /
expect '^AES-GCM by libkasoku .*, from the jar' -jar "$jar"
expect '^AES-GCM by libkasoku .*, from the jar' --module-path "$jar" --enable-native-access=kasoku.jca \
    --module kasoku.jca/kasoku.jca.KasokuProvider
expect '^Kasoku sealed .*Modified: refused$' --class-path "$jar" --enable-native-access=ALL-UNNAMED \
    "$sources/java/example/Example.java"
echo "The jars are reproducible, and work by themselves"

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

# Packs the bundle for Maven Central, signed by a new key that is deleted again. Checks the layout, signatures,
# checksums, and what Central requires of a POM.
check_bundle() (
    name=$(basename java/target/kasoku-jca-*[0-9].jar .jar)
    work=$(mktemp -d)
    trap 'gpgconf --kill all; rm -rf "$work"' EXIT
    export GNUPGHOME=$work/keys
    mkdir -m 700 "$GNUPGHOME"
    mkdir "$work/out"
    cp java/target/kasoku-jca-*.jar "$work/out/"
    cp java/pom.xml "$work/out/$name.pom"
    if grep -q OWNER java/pom.xml && packaging/maven.sh "$work/out" "$work/bundle.zip" 2>/dev/null; then
        echo "packaging/maven.sh accepted placeholders" >&2
        exit 1
    fi
    sed -i -e s/OWNER/example/ -e s/CONTACT@example.org/somebody@example.org/ "$work/out/$name.pom"
    gpg --batch --quiet --passphrase '' --quick-generate-key 'Test <test@example.org>' ed25519 sign never 2>/dev/null
    packaging/maven.sh "$work/out" "$work/bundle.zip" >/dev/null
    unzip -q "$work/bundle.zip" -d "$work/bundle"
    python3 - "$work/out/$name.pom" <<'PYTHON'
import sys
from xml.etree import ElementTree

root = ElementTree.parse(sys.argv[1]).getroot()
for path in ("name", "description", "url", "licenses/license/name", "licenses/license/url",
             "developers/developer/name", "developers/developer/email", "scm/connection", "scm/url"):
    assert root.findtext("/".join("{*}" + step for step in path.split("/"))), f"the POM has no {path}"
PYTHON
    cd "$work"/bundle/io/github/*/kasoku-jca/"${name#kasoku-jca-}"
    for file in "$name".pom "$name".jar "$name"-sources.jar "$name"-javadoc.jar; do
        gpg --batch --quiet --verify "$file.asc" "$file" 2>/dev/null
        for sum in md5 sha1 sha256; do
            echo "$(cat "$file.$sum")  $file" | "${sum}sum" --check --quiet
        done
    done
    [ "$(find "$work/bundle" -type f | wc -l)" = 20 ]
    echo "The bundle for Maven Central has all files, signed"
)
if command -v gpg >/dev/null; then
    check_bundle
else
    echo "The bundle for Maven Central was not tested: it needs gpg (Debian: gnupg)" >&2
    [ -z "${CI:-}" ]
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

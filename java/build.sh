#!/usr/bin/env bash
# Builds libkasoku, and java/target/kasoku-jca-VERSION.jar with it: java/build.sh [MAVEN'S ARGUMENTS]
# A copy goes to where the laboratory looks for it: beside the command that is built here.
set -euo pipefail
cd "$(dirname "$0")/.."
JAVA_HOME=$(java/find_jdk.sh)
export JAVA_HOME

cargo build --release --locked --package kasoku-c
platform=$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
folder=target/java/native/$platform
mkdir -p "$folder"
cp "${CARGO_TARGET_DIR:-target}/release/libkasoku.so" "$folder/"
sha256sum <"$folder/libkasoku.so" | cut -d ' ' -f 1 >"$folder/libkasoku.so.sha256"

# Maven fetches what it needs once, by doing everything once, and asks nobody any more until the list changes.
fetched=target/java/fetched
if cmp -s java/pom.xml "$fetched"; then
    mvn --batch-mode --offline --no-transfer-progress --file java/pom.xml "${@:-package}"
else
    mvn --batch-mode --no-transfer-progress --file java/pom.xml clean package
    cp java/pom.xml "$fetched"
fi
jars=(java/target/kasoku-jca-*[0-9].jar)
[ ! -f "${jars[0]}" ] || cp "${jars[@]}" "${CARGO_TARGET_DIR:-target}/release/"

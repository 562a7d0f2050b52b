#!/usr/bin/env bash
# Prints the folder of a JDK 22 or later: JAVA_HOME if it is such a JDK, otherwise the newest below /usr/lib/jvm.
set -euo pipefail

release() { sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null || true; }

best='' best_release=21
for jdk in "${JAVA_HOME:-}" /usr/lib/jvm/*; do
    [ -x "$jdk/bin/javac" ] || continue
    release=$(release "$jdk")
    if [ "${release:-0}" -gt "$best_release" ]; then
        best=$jdk best_release=$release
        [ "$jdk" != "${JAVA_HOME:-}" ] || break
    fi
done
if [ -z "$best" ]; then
    echo "A JDK 22 or later is needed; none is in JAVA_HOME or /usr/lib/jvm" >&2
    exit 1
fi
echo "$best"

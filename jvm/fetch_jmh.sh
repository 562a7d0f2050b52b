#!/usr/bin/env bash
# Fetches the Java Microbenchmark Harness: four files from Maven Central into target/jmh, verified by checksums. A test
# compares the harness with the Java worker.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly CENTRAL=https://repo1.maven.org/maven2
mkdir -p target/jmh

# SHA-256 and path in the repository.
files() {
    cat <<'LIST'
dc0eaf2bbf0036a70b60798c785d6e03a9daf06b68b8edb0f1ba9eb3421baeb3 org/openjdk/jmh/jmh-core/1.37/jmh-core-1.37.jar
6a5604b5b804e0daca1145df1077609321687734a8b49387e49f10557c186c77 org/openjdk/jmh/jmh-generator-annprocess/1.37/jmh-generator-annprocess-1.37.jar
df26cc58f235f477db07f753ba5a3ab243ebe5789d9f89ecf68dd62ea9a66c28 net/sf/jopt-simple/jopt-simple/5.0.4/jopt-simple-5.0.4.jar
1e56d7b058d28b65abd256b8458e3885b674c1d588fa43cd7d1cbb9c7ef2b308 org/apache/commons/commons-math3/3.6.1/commons-math3-3.6.1.jar
LIST
}

while read -r sum path; do
    file=target/jmh/$(basename "$path")
    if [ ! -f "$file" ]; then
        curl --fail --silent --show-error --location --retry 3 --retry-all-errors --max-time 120 \
            --output "$file.part" "$CENTRAL/$path"
        mv "$file.part" "$file"
    fi
    if ! echo "$sum  $file" | sha256sum --check --quiet; then
        rm -f "$file"
        exit 1
    fi
done < <(files)

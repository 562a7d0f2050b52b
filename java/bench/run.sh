#!/usr/bin/env bash
# Compares Kasoku's provider with SunJCE in the Java Microbenchmark Harness: java/bench/run.sh [ROUNDS [JMH'S
# ARGUMENTS]]. Each round starts a virtual machine for each case. Shows the minimum time over all rounds. To add other
# providers, list their jars in KASOKU_BENCH_JARS and pass -p provider=CLASS.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-3}
JAVA_HOME=$(java/find_jdk.sh)
jvm/fetch_jmh.sh
[ -e java/target/kasoku-jca-0.1.0.jar ] || java/build.sh

path=$(printf '%s:' java/target/kasoku-jca-0.1.0.jar target/jmh/*.jar)${KASOKU_BENCH_JARS:-}
classes=target/java/bench
mkdir -p "$classes"
"$JAVA_HOME/bin/javac" -d "$classes" -cp "$path" -processorpath "$path" java/bench/GcmBench.java
for round in $(seq "$rounds"); do
    "$JAVA_HOME/bin/java" -cp "$classes:$path" org.openjdk.jmh.Main kasoku.bench -f 1 -wi 3 -w 400ms -i 3 -r 300ms \
        -jvmArgs '-Xmx1g --enable-native-access=ALL-UNNAMED' -prof gc -v silent \
        -rf json -rff "$classes/$round.json" "${@:2}" >/dev/null
done
python3 java/bench/table.py "$classes"/[0-9]*.json

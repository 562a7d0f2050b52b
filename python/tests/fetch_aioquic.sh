#!/usr/bin/env bash
# Fetches aioquic's own tests from its source package on PyPI: fetch_aioquic.sh PYTHON. They are in no wheel, and not
# ours to keep here.
set -euo pipefail
python=$(realpath -s "$1")
cd "$(dirname "$0")/../../target"

version=1.7.2
[ -d "aioquic-$version/tests" ] && exit
mkdir -p aioquic
"$python" -m pip download --quiet --no-deps --no-binary aioquic --dest aioquic "aioquic==$version"
tar -xzf "aioquic/aioquic-$version.tar.gz" "aioquic-$version/tests"

#!/usr/bin/env bash
# Fetches the tests of a package from its source package on PyPI: fetch_suite.sh PYTHON PACKAGE VERSION. Wheels do not
# contain tests, and the repository does not copy them.
set -euo pipefail
python=$(realpath -s "$1") package=$2 version=$3
cd "$(dirname "$0")/../../target"

[ -d "$package-$version/tests" ] && exit
mkdir -p "$package"
"$python" -m pip download --quiet --no-deps --no-binary "$package" --dest "$package" "$package==$version"
tar -xzf "$package/$package-$version.tar.gz" "$package-$version/tests"

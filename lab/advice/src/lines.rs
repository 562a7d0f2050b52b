//! Configuration lines to paste, with placeholders for lists of AEADs, which programs name differently ([`NAMES`]).

use super::facts::{Aead, Facts};
use super::rules::web_server::first_limit;
use kasoku_model::library::VersionNumber;
use kasoku_model::system_limit as limits;

/// Where to paste (a program, a file or a section of it), and lines with placeholders.
pub type Line = (&'static str, &'static str);

/// Placeholders, each with a separator and a program's names of AES-128-GCM, AES-256-GCM and ChaCha20-Poly1305. All
/// have tags of 16 bytes. TLS 1.2 has separate suites for ECDSA and RSA certificates.
pub const NAMES: [(&str, &str, [&str; 3]); 8] = [
    ("{tls13}", ":", ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]),
    (
        "{tls12}",
        ":",
        [
            "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256",
            "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384",
            "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305",
        ],
    ),
    ("{ssh}", ",", ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "chacha20-poly1305@openssh.com"]),
    ("{openvpn}", ":", ["AES-128-GCM", "AES-256-GCM", "CHACHA20-POLY1305"]),
    ("{strongswan-esp}", ", ", ["aes128gcm16-x25519", "aes256gcm16-x25519", "chacha20poly1305-x25519"]),
    (
        "{strongswan-ike}",
        ", ",
        ["aes128gcm16-prfsha256-x25519", "aes256gcm16-prfsha256-x25519", "chacha20poly1305-prfsha256-x25519"],
    ),
    ("{libreswan-esp}", ",", ["aes_gcm128", "aes_gcm256", "chacha20_poly1305"]),
    (
        "{libreswan-ike}",
        ",",
        ["aes_gcm128-sha2_256;dh31", "aes_gcm256-sha2_256;dh31", "chacha20_poly1305-sha2_256;dh31"],
    ),
];

/// Replaces the placeholders in `lines` by the AEADs in the order that `facts` prefer.
pub(super) fn fill(lines: &[Line], facts: &Facts<'_>) -> Vec<(&'static str, String)> {
    let follows_clients = facts.aead() != Some(Aead::ChaCha20);
    let mut order = if facts.is_256_cheap() { [1, 0, 2] } else { [0, 1, 2] };
    if !follows_clients {
        order.rotate_right(1);
    }
    // Clients that put ChaCha20 first have no AES instructions, so a server that prefers AES-GCM lets them choose.
    let [in_nginx, in_openssl] = match follows_clients {
        true => ["\nssl_conf_command Options PrioritizeChaCha;", ",PrioritizeChaCha"],
        false => ["", ""],
    };
    let text = |template: &str| {
        let text = template.replace("{follow-clients}", in_nginx).replace("{,follow-clients}", in_openssl);
        NAMES.iter().fold(text, |text, (gap, separator, names)| {
            text.replace(gap, &order.map(|place| names[place]).join(separator))
        })
    };
    lines.iter().map(|(place, template)| (*place, text(template))).collect()
}

pub(super) const JAVA_FLAGS: &[Line] = &[(
    "shell: every line must say true",
    "java -XX:+PrintFlagsFinal -version | grep -E ' Use(AES|AESIntrinsics|AESCTRIntrinsics|GHASHIntrinsics) '",
)];

pub(super) const JAVA_PROVIDER: &[Line] = &[
    (
        "sh, in Kasoku's source",
        "java/build.sh\ninstall -D -m 644 -t /usr/local/share/java java/target/kasoku-jca-*[0-9].jar",
    ),
    ("Java, when the program starts", "kasoku.jca.KasokuProvider.install();"),
    ("java", "java --enable-native-access=ALL-UNNAMED --class-path '/usr/local/share/java/*:program.jar' Program"),
];

pub(super) const TLS: &[Line] = &[
    (
        NGINX_SERVER,
        "ssl_protocols TLSv1.2 TLSv1.3;\nssl_prefer_server_ciphers on;\nssl_ciphers {tls12};\n\
         ssl_conf_command Ciphersuites {tls13};{follow-clients}",
    ),
    (
        "openssl.cnf",
        "openssl_conf = openssl_init\n\n[openssl_init]\nssl_conf = ssl_configuration\n\n[ssl_configuration]\n\
         system_default = tls_defaults\n\n[tls_defaults]\nMinProtocol = TLSv1.2\nCipherString = {tls12}\n\
         Ciphersuites = {tls13}\nOptions = ServerPreference{,follow-clients}",
    ),
];

pub(super) const NGINX_PROVIDER: &[Line] = &[
    (
        "sh, in Kasoku's source",
        "openssl-provider/install.sh /usr/local/lib/ossl-modules\nmkdir -p /etc/kasoku\n\
         kasoku openssl-conf --module /usr/local/lib/ossl-modules/kasoku.so > /etc/kasoku/openssl.cnf",
    ),
    (RESTART_NGINX, "[Service]\nEnvironment=OPENSSL_CONF=/etc/kasoku/openssl.cnf"),
    ("sh, afterwards: is it used?", "kasoku libraries --program $(cat /run/nginx.pid)"),
];

pub(super) const NGINX_OPENSSL: &[Line] = &[
    (RESTART_NGINX, "[Service]\nEnvironment=LD_LIBRARY_PATH=/opt/openssl/lib64"),
    ("sh, afterwards: which is used?", "grep -E 'lib(ssl|crypto)' /proc/$(cat /run/nginx.pid)/maps"),
];

pub(super) const NGINX_AEADS: &[Line] = &[(NGINX_SERVER, "ssl_protocols TLSv1.2 TLSv1.3;\nssl_ciphers {tls12};")];

/// Returns lines that raise the web server's lowest limit on concurrent connections.
pub(super) fn limit(facts: &Facts<'_>) -> &'static [Line] {
    const NGINX: [Line; 3] = [
        ("nginx.conf (events)", "worker_connections 65536;"),
        ("nginx.conf (main)", "worker_rlimit_nofile 150000;"),
        (RESTART_NGINX, "[Service]\nLimitNOFILE=150000:180000"),
    ];
    match first_limit(facts).map(|first| first.limit.name.as_str()) {
        Some(limits::OPEN_FILES) => &[NGINX[1], NGINX[2]],
        Some(limits::WORKER_CONNECTIONS) => &NGINX,
        Some(limits::PORT_RANGE) => &[(
            "/etc/sysctl.d/90-web-server.conf, where connections begin (clients, proxies)",
            "net.ipv4.ip_local_port_range = 2000 65535\nnet.ipv4.tcp_tw_reuse = 1",
        )],
        Some(limits::BACKLOG) => &[
            ("/etc/sysctl.d/90-web-server.conf", "net.core.somaxconn = 65535\nnet.ipv4.tcp_max_syn_backlog = 65535"),
            (NGINX_SERVER, "listen 443 ssl backlog=65535;"),
        ],
        Some(limits::TCP_MEMORY) => &[(
            "sh: a quarter of the memory, until the next start",
            "sysctl -w net.ipv4.tcp_mem=\"$(awk '/MemTotal/ {p = $2 / 16; print int(p / 2), int(p * 3 / 4), int(p)}' \
             /proc/meminfo)\"",
        )],
        _ => &[],
    }
}

pub(super) const QUIC: &[Line] =
    &[(NGINX_SERVER, "ssl_prefer_server_ciphers on;\nssl_conf_command Ciphersuites {tls13};{follow-clients}")];

/// Ciphers of the client, whose order decides (RFC 4253, section 7.1), and of the server.
pub(super) const SSH: &[Line] = &[("/etc/ssh/ssh_config", "Ciphers {ssh}"), ("/etc/ssh/sshd_config", "Ciphers {ssh}")];

pub(super) const OPENVPN: &[Line] = &[("/etc/openvpn/server.conf", "data-ciphers {openvpn}")];

pub(super) const IPSEC: &[Line] = &[
    (
        "/etc/swanctl/swanctl.conf (strongSwan)",
        "connections {\n    vpn {\n        proposals = {strongswan-ike}\n        children {\n            vpn {\n\
         \x20               esp_proposals = {strongswan-esp}\n            }\n        }\n    }\n}",
    ),
    ("/etc/ipsec.conf (Libreswan, conn)", "ike={libreswan-ike}\nesp={libreswan-esp}"),
];

pub(super) const DISK_AES: &[Line] = &[
    ("cryptsetup", "cryptsetup luksFormat --type luks2 --cipher aes-xts-plain64 --key-size 512 /dev/DEVICE"),
    (FSCRYPT, "\"contents\": \"AES_256_XTS\",\n\"filenames\": \"AES_256_CTS\","),
];

pub(super) const DISK_ADIANTUM: &[Line] = &[
    (
        "cryptsetup",
        "cryptsetup luksFormat --type luks2 --cipher xchacha12,aes-adiantum-plain64 --key-size 256 --sector-size 4096 \
         /dev/DEVICE",
    ),
    (FSCRYPT, "\"contents\": \"Adiantum\",\n\"filenames\": \"Adiantum\","),
];

/// TLS groups with X25519 first; with a post-quantum hybrid for OpenSSL 3.5 and later.
pub(super) const X25519_FIRST: [Line; 4] = [
    ("nginx.conf (server), OpenSSL >= 3.5", "ssl_ecdh_curve X25519MLKEM768:X25519:prime256v1;"),
    ("openssl.cnf ([tls_defaults]), OpenSSL >= 3.5", "Groups = X25519MLKEM768:X25519:P-256"),
    ("nginx.conf (server), OpenSSL < 3.5", "ssl_ecdh_curve X25519:prime256v1;"),
    ("openssl.cnf ([tls_defaults]), OpenSSL < 3.5", "Groups = X25519:P-256"),
];

/// TLS groups like [`X25519_FIRST`] with P-256 before X25519.
pub(super) const P256_FIRST: [Line; 4] = [
    (X25519_FIRST[0].0, "ssl_ecdh_curve X25519MLKEM768:prime256v1:X25519;"),
    (X25519_FIRST[1].0, "Groups = X25519MLKEM768:P-256:X25519"),
    (X25519_FIRST[2].0, "ssl_ecdh_curve prime256v1:X25519;"),
    (X25519_FIRST[3].0, "Groups = P-256:X25519"),
];

/// Returns the lines of `all` that suit the version of OpenSSL, or all lines if the version is not known. OpenSSL 3.5
/// and later prefer the hybrid group X25519MLKEM768 by default, so their lines keep this group. Older versions reject
/// lines with the hybrid group.
pub(super) fn groups(facts: &Facts<'_>, all: &'static [Line; 4]) -> &'static [Line] {
    const WITH_HYBRID: VersionNumber = (3, 5, 0);
    match facts.openssl_version() {
        Some(version) if version < WITH_HYBRID => &all[2..],
        Some(_) => &all[..2],
        None => all,
    }
}

/// Ed25519 keys for SSH; ECDSA P-256 keys for TLS, since browsers accept no Ed25519 certificates.
pub(super) const SIGNATURE_KEYS: &[Line] = &[
    ("SSH", "ssh-keygen -t ed25519"),
    ("TLS", "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem"),
];

pub(super) const MEASURE_AEADS: &[Line] = &[
    ("sh", "kasoku run primitives --quick --algorithms aes-128-gcm,aes-256-gcm,chacha20-poly1305"),
    (
        "sh, where Kasoku does not run",
        "openssl speed -elapsed -evp aes-128-gcm\nopenssl speed -elapsed -evp aes-256-gcm\n\
         openssl speed -elapsed -evp chacha20-poly1305",
    ),
];

pub(super) const NO_MASK: &[Line] = &[
    ("sh", "unset OPENSSL_ia32cap OPENSSL_armcap"),
    ("systemd (drop-in)", "[Service]\nUnsetEnvironment=OPENSSL_ia32cap OPENSSL_armcap"),
];

pub(super) const HOST_CPU: &[Line] = &[("libvirt (domain)", "<cpu mode='host-passthrough'/>"), ("QEMU", "-cpu host")];

pub(super) const NEWER_LIBRARY: &[Line] =
    &[("sh", "openssl version\nkasoku run primitives --libcrypto /opt/openssl/lib64/libcrypto.so.3")];

const NGINX_SERVER: &str = "nginx.conf (server)";
const RESTART_NGINX: &str = "systemctl edit nginx, then systemctl restart nginx";
const FSCRYPT: &str = "/etc/fscrypt.conf (options)";

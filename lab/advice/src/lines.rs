//! Lines ready to paste. The names that each program gives a cipher stand in one table, [`NAMES`]; everything else puts
//! them into the form of a file.

use super::facts::{Aead, Facts};
use super::rule::Lines;
use super::web_server;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::system_limit as limits;

/// What programs call an AEAD.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// TLS 1.3 (RFC 8446).
    pub tls13: &'static str,
    /// TLS 1.2 as OpenSSL names it, with an ECDSA and with an RSA certificate.
    pub tls12: [&'static str; 2],
    /// OpenSSH.
    pub ssh: &'static str,
    /// OpenVPN 2.5 and later.
    pub openvpn: &'static str,
    /// strongSwan, for ESP and IKE; tags of 16 bytes.
    pub strongswan: &'static str,
    /// Libreswan; tags of 16 bytes.
    pub libreswan: &'static str,
}

/// Every AEAD that lines are made of.
pub const NAMES: [Names; 3] = [
    Names {
        algorithm: Algorithm::Aes128Gcm,
        tls13: "TLS_AES_128_GCM_SHA256",
        tls12: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
        ssh: "aes128-gcm@openssh.com",
        openvpn: "AES-128-GCM",
        strongswan: "aes128gcm16",
        libreswan: "aes_gcm128",
    },
    Names {
        algorithm: Algorithm::Aes256Gcm,
        tls13: "TLS_AES_256_GCM_SHA384",
        tls12: ["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
        ssh: "aes256-gcm@openssh.com",
        openvpn: "AES-256-GCM",
        strongswan: "aes256gcm16",
        libreswan: "aes_gcm256",
    },
    Names {
        algorithm: Algorithm::ChaCha20Poly1305,
        tls13: "TLS_CHACHA20_POLY1305_SHA256",
        tls12: ["ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"],
        ssh: "chacha20-poly1305@openssh.com",
        openvpn: "CHACHA20-POLY1305",
        strongswan: "chacha20poly1305",
        libreswan: "chacha20_poly1305",
    },
];

/// The AEADs in the order in which `facts` prefer them.
fn order(facts: &Facts<'_>) -> Vec<Names> {
    let [aes128, aes256, chacha20] = NAMES;
    let aes = if facts.is_256_cheap() { [aes256, aes128] } else { [aes128, aes256] };
    match facts.aead() {
        Some(Aead::ChaCha20) => vec![chacha20, aes[0], aes[1]],
        _ => vec![aes[0], aes[1], chacha20],
    }
}

fn joined(facts: &Facts<'_>, separator: &str, name: impl Fn(&Names) -> String) -> String {
    order(facts).iter().map(name).collect::<Vec<_>>().join(separator)
}

fn tls12(facts: &Facts<'_>) -> String {
    joined(facts, ":", |names| names.tls12.join(":"))
}

fn tls13(facts: &Facts<'_>) -> String {
    joined(facts, ":", |names| names.tls13.to_owned())
}

/// Whether clients that put ChaCha20 first, having no AES instructions, are to be followed by a server that does not.
fn follows_clients(facts: &Facts<'_>) -> bool {
    facts.aead() != Some(Aead::ChaCha20)
}

/// What shows which routines a JVM uses.
pub fn java_flags(_facts: &Facts<'_>) -> Vec<Lines> {
    let text =
        "java -XX:+PrintFlagsFinal -version | grep -E ' Use(AES|AESIntrinsics|AESCTRIntrinsics|GHASHIntrinsics) '";
    vec![Lines { place: "shell: every line must say true", text: text.to_owned() }]
}

/// nginx and openssl.cnf: the suites of TLS 1.2 and 1.3, in order.
pub fn tls(facts: &Facts<'_>) -> Vec<Lines> {
    let mut nginx = format!(
        "ssl_protocols TLSv1.2 TLSv1.3;\nssl_prefer_server_ciphers on;\nssl_ciphers {};\nssl_conf_command Ciphersuites {};",
        tls12(facts),
        tls13(facts)
    );
    let mut options = "ServerPreference".to_owned();
    if follows_clients(facts) {
        nginx.push_str("\nssl_conf_command Options PrioritizeChaCha;");
        options.push_str(",PrioritizeChaCha");
    }
    let openssl = format!(
        "openssl_conf = openssl_init\n\n[openssl_init]\nssl_conf = ssl_configuration\n\n[ssl_configuration]\n\
         system_default = tls_defaults\n\n[tls_defaults]\nMinProtocol = TLSv1.2\nCipherString = {}\nCiphersuites = {}\n\
         Options = {options}",
        tls12(facts),
        tls13(facts)
    );
    vec![Lines { place: "nginx.conf (server)", text: nginx }, Lines { place: "openssl.cnf", text: openssl }]
}

/// nginx with Kasoku's provider (docs/OPENSSL.md).
pub fn nginx_provider(_facts: &Facts<'_>) -> Vec<Lines> {
    let lines = [
        (
            "sh, in Kasoku's source",
            "openssl-provider/install.sh /usr/local/lib/ossl-modules\nmkdir -p /etc/kasoku\n\
             kasoku openssl-conf --module /usr/local/lib/ossl-modules/kasoku.so > /etc/kasoku/openssl.cnf",
        ),
        (
            "systemctl edit nginx, then systemctl restart nginx",
            "[Service]\nEnvironment=OPENSSL_CONF=/etc/kasoku/openssl.cnf",
        ),
        ("sh, afterwards: is it used?", "kasoku libraries --program $(cat /run/nginx.pid)"),
    ];
    lines.map(|(place, text)| Lines { place, text: text.to_owned() }).into()
}

/// nginx: suites of TLS 1.2 with an AEAD and a key exchange that keeps past traffic secret.
pub fn nginx_aeads(facts: &Facts<'_>) -> Vec<Lines> {
    let text = format!("ssl_protocols TLSv1.2 TLSv1.3;\nssl_ciphers {};", tls12(facts));
    vec![Lines { place: "nginx.conf (server)", text }]
}

/// What raises the limit that binds first.
pub fn limit(facts: &Facts<'_>) -> Vec<Lines> {
    let Some(first) = web_server::first_limit(facts) else { return Vec::new() };
    let files = [
        ("nginx.conf (main)", "worker_rlimit_nofile 150000;"),
        ("systemctl edit nginx, then systemctl restart nginx", "[Service]\nLimitNOFILE=150000:180000"),
    ];
    let lines: Vec<(&'static str, &str)> = match first.limit.name.as_str() {
        limits::OPEN_FILES => files.into(),
        limits::WORKER_CONNECTIONS => {
            [("nginx.conf (events)", "worker_connections 65536;")].into_iter().chain(files).collect()
        }
        limits::PORT_RANGE => vec![(
            "/etc/sysctl.d/90-web-server.conf, where connections begin (clients, proxies)",
            "net.ipv4.ip_local_port_range = 2000 65535\nnet.ipv4.tcp_tw_reuse = 1",
        )],
        limits::BACKLOG => vec![
            ("/etc/sysctl.d/90-web-server.conf", "net.core.somaxconn = 65535\nnet.ipv4.tcp_max_syn_backlog = 65535"),
            ("nginx.conf (server)", "listen 443 ssl backlog=65535;"),
        ],
        limits::TCP_MEMORY => vec![(
            "sh: a quarter of the memory, until the next start",
            "sysctl -w net.ipv4.tcp_mem=\"$(awk '/MemTotal/ {p = $2 / 16; print int(p / 2), int(p * 3 / 4), int(p)}' /proc/meminfo)\"",
        )],
        _ => Vec::new(),
    };
    lines.into_iter().map(|(place, text)| Lines { place, text: text.to_owned() }).collect()
}

/// nginx: the suites of TLS 1.3, which are QUIC's.
pub fn quic(facts: &Facts<'_>) -> Vec<Lines> {
    let mut text = format!("ssl_prefer_server_ciphers on;\nssl_conf_command Ciphersuites {};", tls13(facts));
    if follows_clients(facts) {
        text.push_str("\nssl_conf_command Options PrioritizeChaCha;");
    }
    vec![Lines { place: "nginx.conf (server)", text }]
}

/// ssh_config, whose order decides (RFC 4253, section 7.1), and sshd_config.
pub fn ssh(facts: &Facts<'_>) -> Vec<Lines> {
    let text = format!("Ciphers {}", joined(facts, ",", |names| names.ssh.to_owned()));
    let places = ["/etc/ssh/ssh_config", "/etc/ssh/sshd_config"];
    places.map(|place| Lines { place, text: text.clone() }).into()
}

/// OpenVPN 2.5 and later.
pub fn openvpn(facts: &Facts<'_>) -> Vec<Lines> {
    let text = format!("data-ciphers {}", joined(facts, ":", |names| names.openvpn.to_owned()));
    vec![Lines { place: "/etc/openvpn/server.conf", text }]
}

/// strongSwan and Libreswan.
pub fn ipsec(facts: &Facts<'_>) -> Vec<Lines> {
    let esp = joined(facts, ", ", |names| format!("{}-x25519", names.strongswan));
    let ike = joined(facts, ", ", |names| format!("{}-prfsha256-x25519", names.strongswan));
    let strongswan = format!(
        "connections {{\n    vpn {{\n        proposals = {ike}\n        children {{\n            vpn {{\n                \
         esp_proposals = {esp}\n            }}\n        }}\n    }}\n}}"
    );
    let libreswan = format!(
        "ike={}\nesp={}",
        joined(facts, ",", |names| format!("{}-sha2_256;dh31", names.libreswan)),
        joined(facts, ",", |names| names.libreswan.to_owned())
    );
    vec![
        Lines { place: "/etc/swanctl/swanctl.conf (strongSwan)", text: strongswan },
        Lines { place: "/etc/ipsec.conf (Libreswan, conn)", text: libreswan },
    ]
}

/// cryptsetup and fscrypt with AES-256-XTS.
pub fn disk_aes(_facts: &Facts<'_>) -> Vec<Lines> {
    disk("aes-xts-plain64 --key-size 512", "AES_256_XTS", "AES_256_CTS")
}

/// cryptsetup and fscrypt with Adiantum.
pub fn disk_adiantum(_facts: &Facts<'_>) -> Vec<Lines> {
    disk("xchacha12,aes-adiantum-plain64 --key-size 256 --sector-size 4096", "Adiantum", "Adiantum")
}

fn disk(cipher: &str, contents: &str, filenames: &str) -> Vec<Lines> {
    vec![
        Lines {
            place: "cryptsetup",
            text: format!("cryptsetup luksFormat --type luks2 --cipher {cipher} /dev/DEVICE"),
        },
        Lines {
            place: "/etc/fscrypt.conf (options)",
            text: format!("\"contents\": \"{contents}\",\n\"filenames\": \"{filenames}\","),
        },
    ]
}

/// The groups of TLS, X25519 before P-256.
pub fn groups(facts: &Facts<'_>) -> Vec<Lines> {
    groups_of(facts, ["X25519:prime256v1", "X25519:P-256"])
}

/// The same with P-256 before X25519.
pub fn groups_p256(facts: &Facts<'_>) -> Vec<Lines> {
    groups_of(facts, ["prime256v1:X25519", "P-256:X25519"])
}

/// Groups as nginx and openssl.cnf are told them. From 3.5 OpenSSL puts its hybrid first by itself, which a line without it
/// would take away; before, it refuses a line that names it. Where the version is not known there are both.
fn groups_of(facts: &Facts<'_>, [nginx, openssl]: [&str; 2]) -> Vec<Lines> {
    let lines = |hybrid: &str, places: [&'static str; 2]| {
        let texts = [format!("ssl_ecdh_curve {hybrid}{nginx};"), format!("Groups = {hybrid}{openssl}")];
        places.into_iter().zip(texts).map(|(place, text)| Lines { place, text })
    };
    let hybrid = lines(
        "X25519MLKEM768:",
        ["nginx.conf (server), OpenSSL >= 3.5", "openssl.cnf ([tls_defaults]), OpenSSL >= 3.5"],
    );
    let plain = lines("", ["nginx.conf (server), OpenSSL < 3.5", "openssl.cnf ([tls_defaults]), OpenSSL < 3.5"]);
    match facts.openssl_version() {
        Some(version) if version < (3, 5, 0) => plain.collect(),
        Some(_) => hybrid.collect(),
        None => hybrid.chain(plain).collect(),
    }
}

/// The hybrid first, for OpenSSL 3.5 and later.
pub fn hybrid_groups(_facts: &Facts<'_>) -> Vec<Lines> {
    let lines = [
        ("nginx.conf (server), OpenSSL >= 3.5", "ssl_ecdh_curve X25519MLKEM768:X25519:prime256v1;"),
        ("openssl.cnf ([tls_defaults]), OpenSSL >= 3.5", "Groups = X25519MLKEM768:X25519:P-256"),
    ];
    lines.map(|(place, text)| Lines { place, text: text.to_owned() }).into()
}

/// Keys for Ed25519 and, for certificates that browsers know, ECDSA P-256.
pub fn signature_keys(_facts: &Facts<'_>) -> Vec<Lines> {
    vec![
        Lines { place: "SSH", text: "ssh-keygen -t ed25519".to_owned() },
        Lines {
            place: "TLS",
            text: "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem".to_owned(),
        },
    ]
}

/// What measures the AEADs where Kasoku does not run.
pub fn measure_aeads(_facts: &Facts<'_>) -> Vec<Lines> {
    let command = |name: &str| format!("openssl speed -elapsed -evp {name}");
    vec![Lines { place: "sh", text: ["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"].map(command).join("\n") }]
}

/// What takes OpenSSL's mask away.
pub fn no_mask(_facts: &Facts<'_>) -> Vec<Lines> {
    vec![
        Lines { place: "sh", text: "unset OPENSSL_ia32cap OPENSSL_armcap".to_owned() },
        Lines {
            place: "systemd (drop-in)",
            text: "[Service]\nUnsetEnvironment=OPENSSL_ia32cap OPENSSL_armcap".to_owned(),
        },
    ]
}

/// What gives a guest the host's CPU.
pub fn host_cpu(_facts: &Facts<'_>) -> Vec<Lines> {
    vec![
        Lines { place: "libvirt (domain)", text: "<cpu mode='host-passthrough'/>".to_owned() },
        Lines { place: "QEMU", text: "-cpu host".to_owned() },
    ]
}

/// What measures another build of OpenSSL beside the system's.
pub fn newer_library(_facts: &Facts<'_>) -> Vec<Lines> {
    vec![Lines {
        place: "sh",
        text: "openssl version\nkasoku run primitives --libcrypto /opt/openssl/lib64/libcrypto.so.3".to_owned(),
    }]
}

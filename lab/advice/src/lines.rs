//! Lines ready to paste. What each program calls a cipher is in one table, [`NAMES`]; everything else puts those names
//! into the form of a file.

use super::facts::{Aead, Facts, VersionNumber};
use super::rule::ConfigurationLines;
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
pub fn java_flags(_facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    let text =
        "java -XX:+PrintFlagsFinal -version | grep -E ' Use(AES|AESIntrinsics|AESCTRIntrinsics|GHASHIntrinsics) '";
    lines([("shell: every line must say true", text)])
}

/// Java with Kasoku's provider (docs/JVM.md).
pub fn java_provider(_facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    lines([
        (
            "sh, in Kasoku's source",
            "java/build.sh\ninstall -D -m 644 -t /usr/local/share/java java/target/kasoku-jca-*[0-9].jar",
        ),
        ("Java, when the program starts", "kasoku.jca.KasokuProvider.install();"),
        ("java", "java --enable-native-access=ALL-UNNAMED --class-path '/usr/local/share/java/*:program.jar' Program"),
    ])
}

/// nginx and openssl.cnf: the suites of TLS 1.2 and 1.3, in order.
pub fn tls(facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    let (tls12, tls13) = (tls12(facts), tls13(facts));
    let mut nginx = format!(
        "ssl_protocols TLSv1.2 TLSv1.3;\nssl_prefer_server_ciphers on;\nssl_ciphers {tls12};\n\
         ssl_conf_command Ciphersuites {tls13};"
    );
    let mut options = "ServerPreference".to_owned();
    if follows_clients(facts) {
        nginx.push_str("\nssl_conf_command Options PrioritizeChaCha;");
        options.push_str(",PrioritizeChaCha");
    }
    let openssl = format!(
        "openssl_conf = openssl_init\n\n[openssl_init]\nssl_conf = ssl_configuration\n\n[ssl_configuration]\n\
         system_default = tls_defaults\n\n[tls_defaults]\nMinProtocol = TLSv1.2\nCipherString = {tls12}\n\
         Ciphersuites = {tls13}\nOptions = {options}"
    );
    lines([("nginx.conf (server)", nginx), ("openssl.cnf", openssl)])
}

/// nginx with Kasoku's provider (docs/OPENSSL.md).
pub fn nginx_provider(_facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    lines([
        (
            "sh, in Kasoku's source",
            "openssl-provider/install.sh /usr/local/lib/ossl-modules\nmkdir -p /etc/kasoku\n\
             kasoku openssl-conf --module /usr/local/lib/ossl-modules/kasoku.so > /etc/kasoku/openssl.cnf",
        ),
        (RESTART_NGINX, "[Service]\nEnvironment=OPENSSL_CONF=/etc/kasoku/openssl.cnf"),
        ("sh, afterwards: is it used?", "kasoku libraries --program $(cat /run/nginx.pid)"),
    ])
}

/// nginx: suites of TLS 1.2 with an AEAD and a key exchange that keeps past traffic secret.
pub fn nginx_aeads(facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    lines([("nginx.conf (server)", format!("ssl_protocols TLSv1.2 TLSv1.3;\nssl_ciphers {};", tls12(facts)))])
}

/// What raises the limit that binds first.
pub fn limit(facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    const FILES: [(&str, &str); 2] = [
        ("nginx.conf (main)", "worker_rlimit_nofile 150000;"),
        (RESTART_NGINX, "[Service]\nLimitNOFILE=150000:180000"),
    ];
    let Some(first) = web_server::first_limit(facts) else { return Vec::new() };
    match first.limit.name.as_str() {
        limits::OPEN_FILES => lines(FILES),
        limits::WORKER_CONNECTIONS => lines([("nginx.conf (events)", "worker_connections 65536;"), FILES[0], FILES[1]]),
        limits::PORT_RANGE => lines([(
            "/etc/sysctl.d/90-web-server.conf, where connections begin (clients, proxies)",
            "net.ipv4.ip_local_port_range = 2000 65535\nnet.ipv4.tcp_tw_reuse = 1",
        )]),
        limits::BACKLOG => lines([
            ("/etc/sysctl.d/90-web-server.conf", "net.core.somaxconn = 65535\nnet.ipv4.tcp_max_syn_backlog = 65535"),
            ("nginx.conf (server)", "listen 443 ssl backlog=65535;"),
        ]),
        limits::TCP_MEMORY => lines([(
            "sh: a quarter of the memory, until the next start",
            "sysctl -w net.ipv4.tcp_mem=\"$(awk '/MemTotal/ {p = $2 / 16; print int(p / 2), int(p * 3 / 4), int(p)}' \
             /proc/meminfo)\"",
        )]),
        _ => Vec::new(),
    }
}

/// nginx: the suites of TLS 1.3, which are QUIC's.
pub fn quic(facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    let mut text = format!("ssl_prefer_server_ciphers on;\nssl_conf_command Ciphersuites {};", tls13(facts));
    if follows_clients(facts) {
        text.push_str("\nssl_conf_command Options PrioritizeChaCha;");
    }
    lines([("nginx.conf (server)", text)])
}

/// ssh_config, whose order decides (RFC 4253, section 7.1), and sshd_config.
pub fn ssh(facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    let text = format!("Ciphers {}", joined(facts, ",", |names| names.ssh.to_owned()));
    lines([("/etc/ssh/ssh_config", text.clone()), ("/etc/ssh/sshd_config", text)])
}

/// OpenVPN 2.5 and later.
pub fn openvpn(facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    let ciphers = joined(facts, ":", |names| names.openvpn.to_owned());
    lines([("/etc/openvpn/server.conf", format!("data-ciphers {ciphers}"))])
}

/// strongSwan and Libreswan.
pub fn ipsec(facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    let esp = joined(facts, ", ", |names| format!("{}-x25519", names.strongswan));
    let ike = joined(facts, ", ", |names| format!("{}-prfsha256-x25519", names.strongswan));
    let strongswan = format!(
        "connections {{\n    vpn {{\n        proposals = {ike}\n        children {{\n            vpn {{\n\
         \x20               esp_proposals = {esp}\n            }}\n        }}\n    }}\n}}"
    );
    let libreswan = format!(
        "ike={}\nesp={}",
        joined(facts, ",", |names| format!("{}-sha2_256;dh31", names.libreswan)),
        joined(facts, ",", |names| names.libreswan.to_owned())
    );
    lines([("/etc/swanctl/swanctl.conf (strongSwan)", strongswan), ("/etc/ipsec.conf (Libreswan, conn)", libreswan)])
}

/// cryptsetup and fscrypt with AES-256-XTS.
pub fn disk_aes(_facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    disk("aes-xts-plain64 --key-size 512", "AES_256_XTS", "AES_256_CTS")
}

/// cryptsetup and fscrypt with Adiantum.
pub fn disk_adiantum(_facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    disk("xchacha12,aes-adiantum-plain64 --key-size 256 --sector-size 4096", "Adiantum", "Adiantum")
}

fn disk(cipher: &str, contents: &str, filenames: &str) -> Vec<ConfigurationLines> {
    lines([
        ("cryptsetup", format!("cryptsetup luksFormat --type luks2 --cipher {cipher} /dev/DEVICE")),
        ("/etc/fscrypt.conf (options)", format!("\"contents\": \"{contents}\",\n\"filenames\": \"{filenames}\",")),
    ])
}

/// The groups of TLS, X25519 before P-256.
pub fn groups(facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    groups_of(facts.openssl_version(), ["X25519:prime256v1", "X25519:P-256"])
}

/// The same with P-256 before X25519.
pub fn groups_p256(facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    groups_of(facts.openssl_version(), ["prime256v1:X25519", "P-256:X25519"])
}

/// The hybrid first, for OpenSSL 3.5 and later.
pub fn hybrid_groups(_facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    groups_of(Some(WITH_HYBRID), ["X25519:prime256v1", "X25519:P-256"])
}

/// The first OpenSSL that has the hybrid group. It puts it first by itself, which a line without it would take away; an
/// older one refuses a line that names it.
const WITH_HYBRID: VersionNumber = (3, 5, 0);

/// Groups for nginx and openssl.cnf, with the hybrid, without, or both where the version is not known.
fn groups_of(version: Option<VersionNumber>, [nginx, openssl]: [&str; 2]) -> Vec<ConfigurationLines> {
    const HYBRID: &str = "X25519MLKEM768:";
    let with = || {
        lines([
            ("nginx.conf (server), OpenSSL >= 3.5", format!("ssl_ecdh_curve {HYBRID}{nginx};")),
            ("openssl.cnf ([tls_defaults]), OpenSSL >= 3.5", format!("Groups = {HYBRID}{openssl}")),
        ])
    };
    let without = || {
        lines([
            ("nginx.conf (server), OpenSSL < 3.5", format!("ssl_ecdh_curve {nginx};")),
            ("openssl.cnf ([tls_defaults]), OpenSSL < 3.5", format!("Groups = {openssl}")),
        ])
    };
    match version {
        Some(version) if version < WITH_HYBRID => without(),
        Some(_) => with(),
        None => [with(), without()].concat(),
    }
}

/// Keys for Ed25519 and, for certificates that browsers know, ECDSA P-256.
pub fn signature_keys(_facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    lines([
        ("SSH", "ssh-keygen -t ed25519"),
        ("TLS", "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem"),
    ])
}

/// What measures the AEADs, here and where Kasoku does not run.
pub fn measure_aeads(_facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    const AEADS: [&str; 3] = ["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"];
    let command = |name: &str| format!("openssl speed -elapsed -evp {name}");
    lines([
        ("sh", format!("kasoku run primitives --quick --algorithms {}", AEADS.join(","))),
        ("sh, where Kasoku does not run", AEADS.map(command).join("\n")),
    ])
}

/// What takes OpenSSL's mask away.
pub fn no_mask(_facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    lines([
        ("sh", "unset OPENSSL_ia32cap OPENSSL_armcap"),
        ("systemd (drop-in)", "[Service]\nUnsetEnvironment=OPENSSL_ia32cap OPENSSL_armcap"),
    ])
}

/// What gives a guest the host's CPU.
pub fn host_cpu(_facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    lines([("libvirt (domain)", "<cpu mode='host-passthrough'/>"), ("QEMU", "-cpu host")])
}

/// What measures another build of OpenSSL beside the system's.
pub fn newer_library(_facts: &Facts<'_>) -> Vec<ConfigurationLines> {
    lines([("sh", "openssl version\nkasoku run primitives --libcrypto /opt/openssl/lib64/libcrypto.so.3")])
}

const RESTART_NGINX: &str = "systemctl edit nginx, then systemctl restart nginx";

fn lines<T: Into<String>, const N: usize>(all: [(&'static str, T); N]) -> Vec<ConfigurationLines> {
    all.into_iter().map(|(place, text)| ConfigurationLines { place, text: text.into() }).collect()
}

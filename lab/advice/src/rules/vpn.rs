//! SSH and VPNs.

use crate::facts::{Aead, Facts};
use crate::lines;
use crate::rule::{Evidence, RuleFinding, Value, faster, rules};
use kasoku_model::algorithm::Algorithm::*;

rules! {
    "ssh-aes-gcm": Ssh, Choose; if |facts| preferred(facts, Aead::AesGcm); paste |_| lines::SSH;
    when "AES-GCM comes first by the figures (as for TLS).";
    says "Put AES-GCM first among SSH’s ciphers; OpenSSH itself prefers ChaCha20-Poly1305.",
         "SSHのCiphersではAES-GCMを先頭に置きます。OpenSSHの既定ではChaCha20-Poly1305が先頭です。";
    why  "Copying files over SSH is bound by the cipher on a fast network. The client’s order decides (RFC 4253), so \
          set it in ssh_config; sshd’s line says what it accepts.",
         "速いネットワークでは、SSHでのファイルコピーは暗号の速さで決まります。どれを使うかはクライアント側の順序で決ま\
          るため（RFC 4253）、ssh_configに書きます。sshd_configの行は受け入れる暗号を決めるものです。";

    "ssh-chacha20": Ssh, Choose; if |facts| preferred(facts, Aead::ChaCha20); paste |_| lines::SSH;
    when "ChaCha20-Poly1305 comes first by the figures (as for TLS).";
    says "Leave ChaCha20-Poly1305 first among SSH’s ciphers, with OpenSSH 9.6 or later on both sides.",
         "SSHのCiphersはChaCha20-Poly1305を先頭にします。両側ともOpenSSH 9.6以降にしてください。";
    why  "It is OpenSSH’s own first choice, and the fast one here. Before 9.6 its handshake can be tampered with \
          (Terrapin, CVE-2023-48795); AES-GCM is not affected, so put that first where an older peer must be served.",
         "OpenSSHの既定でも先頭で、ここでは速い暗号です。9.6より前ではハンドシェイクを改ざんされるおそれがあります\
          （Terrapin、CVE-2023-48795）。AES-GCMは影響を受けないため、古い相手と通信する場合はAES-GCMを先頭にします。";

    "openvpn-aes-gcm": Openvpn, Choose; if |facts| preferred(facts, Aead::AesGcm); paste |_| lines::OPENVPN;
    when "AES-GCM comes first by the figures (as for TLS).";
    says "Use AES-GCM for OpenVPN, never a CBC cipher.",
         "OpenVPNではAES-GCMを使い、CBCは使いません。";
    why  "The server takes the first cipher of its list that the client has. AES-GCM encrypts and authenticates in one \
          pass; CBC needs an HMAC besides.",
         "サーバーは、自分の一覧のうちクライアントが対応する最初の暗号を使います。AES-GCMは暗号化と認証を一度に行います\
          が、CBCでは別にHMACが必要です。";

    "openvpn-chacha20": Openvpn, Choose; if |facts| preferred(facts, Aead::ChaCha20); paste |_| lines::OPENVPN;
    when "ChaCha20-Poly1305 comes first by the figures (as for TLS).";
    says "Use ChaCha20-Poly1305 for OpenVPN (2.5 or later on both sides), or WireGuard.",
         "OpenVPNではChaCha20-Poly1305を使うか（両側とも2.5以降）、WireGuardにします。";
    why  "The server takes the first cipher of its list that the client has; before 2.5 OpenVPN has no ChaCha20.",
         "サーバーは、自分の一覧のうちクライアントが対応する最初の暗号を使います。2.5より前のOpenVPNにChaCha20はありま\
          せん。";

    "wireguard-fits": Wireguard, Choose; if |facts| with_speed(facts, preferred(facts, Aead::ChaCha20)?);
    when "ChaCha20-Poly1305 comes first by the figures.";
    says "WireGuard is the VPN for this machine: its only cipher, ChaCha20-Poly1305, is the fast one here ({speed} on \
          one core).",
         "この機器のVPNにはWireGuardが向いています。唯一の暗号であるChaCha20-Poly1305が、ここでは速い暗号です（1コアで\
          {speed}）。";
    why  "WireGuard has no cipher to set. The kernel has code of its own, so take the figure as an order of magnitude; \
          the network’s own work comes on top.",
         "WireGuardに暗号の設定はありません。カーネルの実装は別物なので、値は目安です。実際にはネットワーク処理の時間が\
          加わります。";

    "wireguard-or-aes": Wireguard, Choose; if |facts| with_speed(facts, faster(facts.aead_comparison()?)?);
    when "AES-GCM is shown to be faster than ChaCha20-Poly1305.";
    says "WireGuard can only use ChaCha20-Poly1305, {speed} on one core here; where that is too little, IPsec or \
          OpenVPN with AES-GCM has {times} times that cipher throughput.",
         "WireGuardの暗号はChaCha20-Poly1305だけで、ここでは1コアで{speed}です。足りない場合は、AES-GCMを使うIPsecか\
          OpenVPNにすると暗号のスループットが{times}倍になります。";
    why  "WireGuard has no cipher to set. Up to a link of 1 Gbit/s (125 MB/s) the difference seldom shows, and its \
          simplicity speaks for it. The kernel has code of its own, so take the figure as an order of magnitude; the \
          network’s own work comes on top.",
         "WireGuardに暗号の設定はありません。1 Gbit/s（125 MB/s）までの回線では差が現れにくく、構成の簡単さが利点になり\
          ます。カーネルの実装は別物なので、値は目安です。実際にはネットワーク処理の時間が加わります。";

    "ipsec-aes-gcm": Ipsec, Choose; if |facts| preferred(facts, Aead::AesGcm); paste |_| lines::IPSEC;
    when "AES-GCM comes first by the figures (as for TLS).";
    says "Propose AES-GCM with its 16-byte tag for ESP.",
         "IPsecのESPでは、タグ16バイトのAES-GCMを先頭に提案します。";
    why  "The first proposal that both sides have is taken. The kernel does the work with code of its own, which uses \
          the same instructions.",
         "両側が対応する最初の提案が使われます。処理はカーネルの実装が行いますが、使う命令は同じです。";

    "ipsec-chacha20": Ipsec, Choose; if |facts| preferred(facts, Aead::ChaCha20); paste |_| lines::IPSEC;
    when "ChaCha20-Poly1305 comes first by the figures (as for TLS).";
    says "Propose ChaCha20-Poly1305 for ESP (RFC 7634) before AES-GCM.",
         "IPsecのESPでは、ChaCha20-Poly1305（RFC 7634）をAES-GCMより先に提案します。";
    why  "The first proposal that both sides have is taken; a peer without it falls back to AES-GCM. Where the SoC has \
          a crypto engine that the kernel uses for IPsec, measure that: no figure here covers it.",
         "両側が対応する最初の提案が使われ、対応しない相手とはAES-GCMになります。SoCの暗号エンジンをカーネルがIPsecに使\
          える場合は、別に測ってください。ここにその値はありません。";
}

/// Applies if `wanted` comes first, with the figures that say so.
fn preferred(facts: &Facts<'_>, wanted: Aead) -> Option<RuleFinding> {
    let comparison = facts.aead_comparison().filter(|_| facts.aead() == Some(wanted))?;
    Some(RuleFinding::of([Evidence::Comparison(comparison.by_speed())]))
}

fn with_speed(facts: &Facts<'_>, found: RuleFinding) -> Option<RuleFinding> {
    Some(found.with("speed", Value::Speed(Box::new(facts.figure(ChaCha20Poly1305)?))))
}

//! SSH and OpenVPN.

use super::vpn::by_aead;
use crate::facts::Aead;
use crate::lines;
use crate::rule::{Rule, Topic, Weight, Wording};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "ssh-aes-gcm",
        topic: Topic::Ssh,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| by_aead(facts, Aead::AesGcm),
        english: Wording {
            when: "AES-GCM comes first by the figures (as for TLS).",
            says: "Put AES-GCM first among SSH’s ciphers; OpenSSH itself prefers ChaCha20-Poly1305.",
            reason: "Copying files over SSH is bound by the cipher on a fast network. The client’s order decides \
                     (RFC 4253), so set it in ssh_config; sshd’s line says what it accepts.",
        },
        japanese: Wording {
            when: "値から AES-GCM が優先されるとき（TLS と同じ判断）。",
            says: "SSH の Ciphers では AES-GCM を先頭に置きます。OpenSSH の既定では ChaCha20-Poly1305 が先頭です。",
            reason: "速いネットワークでは、SSH でのファイルコピーは暗号の速さで決まります。\
                     どれを使うかはクライアント側の順序で決まるため（RFC 4253）、ssh_config に書きます。sshd_config の行は受け入れる暗号を決めるものです。",
        },
        lines: lines::ssh,
    },
    Rule {
        id: "ssh-chacha20",
        topic: Topic::Ssh,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| by_aead(facts, Aead::ChaCha20),
        english: Wording {
            when: "ChaCha20-Poly1305 comes first by the figures (as for TLS).",
            says: "Leave ChaCha20-Poly1305 first among SSH’s ciphers, with OpenSSH 9.6 or later on both sides.",
            reason: "It is OpenSSH’s own first choice, and the fast one here. Before 9.6 its handshake can be tampered with \
                     (Terrapin, CVE-2023-48795); AES-GCM is not affected, so put that first where an older peer must \
                     be served.",
        },
        japanese: Wording {
            when: "値から ChaCha20-Poly1305 が優先されるとき（TLS と同じ判断）。",
            says: "SSH の Ciphers は ChaCha20-Poly1305 を先頭にします。両側とも OpenSSH 9.6 以降にしてください。",
            reason: "OpenSSH の既定でも先頭で、ここでは速い暗号です。9.6 より前ではハンドシェイクを改ざんされるおそれがあります\
                     （Terrapin、CVE-2023-48795）。AES-GCM は影響を受けないため、古い相手と通信する場合は AES-GCM を先頭にします。",
        },
        lines: lines::ssh,
    },
    Rule {
        id: "openvpn-aes-gcm",
        topic: Topic::Openvpn,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| by_aead(facts, Aead::AesGcm),
        english: Wording {
            when: "AES-GCM comes first by the figures (as for TLS).",
            says: "Use AES-GCM for OpenVPN, never a CBC cipher.",
            reason: "The server takes the first cipher of its list that the client has. AES-GCM encrypts and authenticates \
                     in one pass; CBC needs an HMAC besides.",
        },
        japanese: Wording {
            when: "値から AES-GCM が優先されるとき（TLS と同じ判断）。",
            says: "OpenVPN では AES-GCM を使い、CBC は使いません。",
            reason: "サーバは、自分の一覧のうちクライアントが対応する最初の暗号を使います。\
                     AES-GCM は暗号化と認証を一度に行いますが、CBC では別に HMAC が必要です。",
        },
        lines: lines::openvpn,
    },
    Rule {
        id: "openvpn-chacha20",
        topic: Topic::Openvpn,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| by_aead(facts, Aead::ChaCha20),
        english: Wording {
            when: "ChaCha20-Poly1305 comes first by the figures (as for TLS).",
            says: "Use ChaCha20-Poly1305 for OpenVPN (2.5 or later on both sides), or WireGuard.",
            reason: "The server takes the first cipher of its list that the client has; before 2.5 OpenVPN has no ChaCha20.",
        },
        japanese: Wording {
            when: "値から ChaCha20-Poly1305 が優先されるとき（TLS と同じ判断）。",
            says: "OpenVPN では ChaCha20-Poly1305 を使うか（両側とも 2.5 以降）、WireGuard にします。",
            reason: "サーバは、自分の一覧のうちクライアントが対応する最初の暗号を使います。2.5 より前の OpenVPN に ChaCha20 はありません。",
        },
        lines: lines::openvpn,
    },
];

//! What is said of SSH and OpenVPN.

use super::words;

words! {
    SSH_AES_GCM, "ssh-aes-gcm":
        when "AES-GCM comes first by the figures (as for TLS).",
             "値から AES-GCM が優先されるとき（TLS と同じ判断）。";
        says "Put AES-GCM first among SSH’s ciphers; OpenSSH itself prefers ChaCha20-Poly1305.",
             "SSH の Ciphers では AES-GCM を先頭に置きます。OpenSSH の既定では ChaCha20-Poly1305 が先頭です。";
        why  "Copying files over SSH is bound by the cipher on a fast network. The client’s order decides (RFC 4253), \
              so set it in ssh_config; sshd’s line says what it accepts.",
             "速いネットワークでは、SSH でのファイルコピーは暗号の速さで決まります。どれを使うかはクライアント側の順序で決まるため（RFC 4253）、ssh_config に書きます。\
              sshd_config の行は受け入れる暗号を決めるものです。";

    SSH_CHACHA20, "ssh-chacha20":
        when "ChaCha20-Poly1305 comes first by the figures (as for TLS).",
             "値から ChaCha20-Poly1305 が優先されるとき（TLS と同じ判断）。";
        says "Leave ChaCha20-Poly1305 first among SSH’s ciphers, with OpenSSH 9.6 or later on both sides.",
             "SSH の Ciphers は ChaCha20-Poly1305 を先頭にします。両側とも OpenSSH 9.6 以降にしてください。";
        why  "It is OpenSSH’s own first choice, and the fast one here. Before 9.6 its handshake can be tampered with \
              (Terrapin, CVE-2023-48795); AES-GCM is not affected, so put that first where an older peer must be \
              served.",
             "OpenSSH の既定でも先頭で、ここでは速い暗号です。9.6 より前ではハンドシェイクを改ざんされるおそれがあります（Terrapin、CVE-2023-48795）。\
              AES-GCM は影響を受けないため、古い相手と通信する場合は AES-GCM を先頭にします。";

    OPENVPN_AES_GCM, "openvpn-aes-gcm":
        when "AES-GCM comes first by the figures (as for TLS).",
             "値から AES-GCM が優先されるとき（TLS と同じ判断）。";
        says "Use AES-GCM for OpenVPN, never a CBC cipher.",
             "OpenVPN では AES-GCM を使い、CBC は使いません。";
        why  "The server takes the first cipher of its list that the client has. AES-GCM encrypts and authenticates in \
              one pass; CBC needs an HMAC besides.",
             "サーバは、自分の一覧のうちクライアントが対応する最初の暗号を使います。AES-GCM は暗号化と認証を一度に行いますが、CBC では別に HMAC が必要です。";

    OPENVPN_CHACHA20, "openvpn-chacha20":
        when "ChaCha20-Poly1305 comes first by the figures (as for TLS).",
             "値から ChaCha20-Poly1305 が優先されるとき（TLS と同じ判断）。";
        says "Use ChaCha20-Poly1305 for OpenVPN (2.5 or later on both sides), or WireGuard.",
             "OpenVPN では ChaCha20-Poly1305 を使うか（両側とも 2.5 以降）、WireGuard にします。";
        why  "The server takes the first cipher of its list that the client has; before 2.5 OpenVPN has no ChaCha20.",
             "サーバは、自分の一覧のうちクライアントが対応する最初の暗号を使います。2.5 より前の OpenVPN に ChaCha20 はありません。";
}

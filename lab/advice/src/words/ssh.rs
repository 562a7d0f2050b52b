//! What is said of SSH and OpenVPN.

use super::words;

words! {
    SSH_AES_GCM, "ssh-aes-gcm":
        when "AES-GCM comes first by the figures (as for TLS).",
             "値からAES-GCMが優先されるとき（TLSと同じ判断）。";
        says "Put AES-GCM first among SSH’s ciphers; OpenSSH itself prefers ChaCha20-Poly1305.",
             "SSHのCiphersではAES-GCMを先頭に置きます。OpenSSHの既定ではChaCha20-Poly1305が先頭です。";
        why  "Copying files over SSH is bound by the cipher on a fast network. The client’s order decides (RFC 4253), \
              so set it in ssh_config; sshd’s line says what it accepts.",
             "速いネットワークでは、SSHでのファイルコピーは暗号の速さで決まります。\
              どれを使うかはクライアント側の順序で決まるため（RFC 4253）、ssh_configに書きます。sshd_configの行は受け入\
              れる暗号を決めるものです。";

    SSH_CHACHA20, "ssh-chacha20":
        when "ChaCha20-Poly1305 comes first by the figures (as for TLS).",
             "値からChaCha20-Poly1305が優先されるとき（TLSと同じ判断）。";
        says "Leave ChaCha20-Poly1305 first among SSH’s ciphers, with OpenSSH 9.6 or later on both sides.",
             "SSHのCiphersはChaCha20-Poly1305を先頭にします。両側ともOpenSSH 9.6以降にしてください。";
        why  "It is OpenSSH’s own first choice, and the fast one here. Before 9.6 its handshake can be tampered with \
              (Terrapin, CVE-2023-48795); AES-GCM is not affected, so put that first where an older peer must be \
              served.",
             "OpenSSHの既定でも先頭で、ここでは速い暗号です。9.6より前ではハンドシェイクを改ざんされるおそれがあります\
              （Terrapin、CVE-2023-48795）。AES-GCMは影響を受けないため、古い相手と通信する場合はAES-GCMを先頭にしま\
              す。";

    OPENVPN_AES_GCM, "openvpn-aes-gcm":
        when "AES-GCM comes first by the figures (as for TLS).",
             "値からAES-GCMが優先されるとき（TLSと同じ判断）。";
        says "Use AES-GCM for OpenVPN, never a CBC cipher.",
             "OpenVPNではAES-GCMを使い、CBCは使いません。";
        why  "The server takes the first cipher of its list that the client has. AES-GCM encrypts and authenticates in \
              one pass; CBC needs an HMAC besides.",
             "サーバーは、自分の一覧のうちクライアントが対応する最初の暗号を使います。AES-GCMは暗号化と認証を一度に行い\
              ますが、CBCでは別にHMACが必要です。";

    OPENVPN_CHACHA20, "openvpn-chacha20":
        when "ChaCha20-Poly1305 comes first by the figures (as for TLS).",
             "値からChaCha20-Poly1305が優先されるとき（TLSと同じ判断）。";
        says "Use ChaCha20-Poly1305 for OpenVPN (2.5 or later on both sides), or WireGuard.",
             "OpenVPNではChaCha20-Poly1305を使うか（両側とも2.5以降）、WireGuardにします。";
        why  "The server takes the first cipher of its list that the client has; before 2.5 OpenVPN has no ChaCha20.",
             "サーバーは、自分の一覧のうちクライアントが対応する最初の暗号を使います。2.5より前のOpenVPNにChaCha20はあ\
              りません。";
}

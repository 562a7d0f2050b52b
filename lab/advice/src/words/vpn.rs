//! What is said of WireGuard and IPsec.

use super::words;

words! {
    WIREGUARD_FITS, "wireguard-fits":
        when "ChaCha20-Poly1305 comes first by the figures.",
             "値からChaCha20-Poly1305が優先されるとき。";
        says "WireGuard is the VPN for this machine: its only cipher, ChaCha20-Poly1305, is the fast one here ({speed} \
              on one core).",
             "この機器のVPNにはWireGuardが向いています。唯一の暗号であるChaCha20-Poly1305が、\
              ここでは速い暗号です（1コアで{speed}）。";
        why  "WireGuard has no cipher to set. The kernel has code of its own, so take the figure as an order of \
              magnitude; the network’s own work comes on top.",
             "WireGuardに暗号の設定はありません。カーネルの実装は別物なので、値は目安です。\
              実際にはネットワーク処理の時間が加わります。";

    WIREGUARD_OR_AES, "wireguard-or-aes":
        when "AES-GCM is shown to be faster than ChaCha20-Poly1305.",
             "AES-GCMがChaCha20-Poly1305より速いと示されたとき。";
        says "WireGuard can only use ChaCha20-Poly1305, {speed} on one core here; where that is too little, IPsec or \
              OpenVPN with AES-GCM has {times} times that cipher throughput.",
             "WireGuardの暗号はChaCha20-Poly1305だけで、ここでは1コアで{speed}です。\
              足りない場合は、AES-GCMを使うIPsecかOpenVPNにすると暗号のスループットが{times}倍になります。";
        why  "WireGuard has no cipher to set. Up to a link of 1 Gbit/s (125 MB/s) the difference seldom shows, and its \
              simplicity speaks for it. The kernel has code of its own, so take the figure as an order of magnitude; \
              the network’s own work comes on top.",
             "WireGuardに暗号の設定はありません。1 Gbit/s（125 MB/s）までの回線では差が現れにくく、\
              構成の簡単さが利点になります。カーネルの実装は別物なので、値は目安です。\
              実際にはネットワーク処理の時間が加わります。";

    IPSEC_AES_GCM, "ipsec-aes-gcm":
        when "AES-GCM comes first by the figures (as for TLS).",
             "値からAES-GCMが優先されるとき（TLSと同じ判断）。";
        says "Propose AES-GCM with its 16-byte tag for ESP.",
             "IPsecのESPでは、タグ16バイトのAES-GCMを先頭に提案します。";
        why  "The first proposal that both sides have is taken. The kernel does the work with code of its own, which \
              uses the same instructions.",
             "両側が対応する最初の提案が使われます。処理はカーネルの実装が行いますが、使う命令は同じです。";

    IPSEC_CHACHA20, "ipsec-chacha20":
        when "ChaCha20-Poly1305 comes first by the figures (as for TLS).",
             "値からChaCha20-Poly1305が優先されるとき（TLSと同じ判断）。";
        says "Propose ChaCha20-Poly1305 for ESP (RFC 7634) before AES-GCM.",
             "IPsecのESPでは、ChaCha20-Poly1305（RFC 7634）をAES-GCMより先に提案します。";
        why  "The first proposal that both sides have is taken; a peer without it falls back to AES-GCM. Where the SoC \
              has a crypto engine that the kernel uses for IPsec, measure that: no figure here covers it.",
             "両側が対応する最初の提案が使われ、対応しない相手とはAES-GCMになります。SoCの暗号エンジンをカーネル\
              がIPsecに使える場合は、別に測ってください。ここにその値はありません。";
}

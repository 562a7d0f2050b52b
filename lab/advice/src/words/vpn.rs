//! What is said of WireGuard and IPsec.

use super::words;

words! {
    WIREGUARD_FITS, "wireguard-fits":
        when "ChaCha20-Poly1305 comes first by the figures.",
             "値から ChaCha20-Poly1305 が優先されるとき。";
        says "WireGuard is the VPN for this machine: its only cipher, ChaCha20-Poly1305, is the fast one here ({speed} \
              on one core).",
             "この機器の VPN には WireGuard が向いています。唯一の暗号である ChaCha20-Poly1305 が、ここでは速い暗号です（1 コアで {speed}）。";
        why  "WireGuard has no cipher to set. The kernel has code of its own, so take the figure as an order of \
              magnitude; the network’s own work comes on top.",
             "WireGuard に暗号の設定はありません。カーネルの実装は別物なので、値は目安です。実際にはネットワーク処理の時間が加わります。";

    WIREGUARD_OR_AES, "wireguard-or-aes":
        when "AES-GCM is shown to be faster than ChaCha20-Poly1305.",
             "AES-GCM が ChaCha20-Poly1305 より速いと示されたとき。";
        says "WireGuard can only use ChaCha20-Poly1305, {speed} on one core here; where that is too little, IPsec or \
              OpenVPN with AES-GCM has {times} times that cipher throughput.",
             "WireGuard の暗号は ChaCha20-Poly1305 だけで、ここでは 1 コアで {speed} です。足りない場合は、AES-GCM を使う IPsec か OpenVPN にすると暗号のス\
              ループットが {times} 倍になります。";
        why  "WireGuard has no cipher to set. Up to a link of 1 Gbit/s (125 MB/s) the difference seldom shows, and its \
              simplicity speaks for it. The kernel has code of its own, so take the figure as an order of magnitude; \
              the network’s own work comes on top.",
             "WireGuard に暗号の設定はありません。1 Gbit/s（125 MB/s）までの回線では差が現れにくく、構成の簡単さが利点になります。カーネルの実装は別物なので、値は目安です。\
              実際にはネットワーク処理の時間が加わります。";

    IPSEC_AES_GCM, "ipsec-aes-gcm":
        when "AES-GCM comes first by the figures (as for TLS).",
             "値から AES-GCM が優先されるとき（TLS と同じ判断）。";
        says "Propose AES-GCM with its 16-byte tag for ESP.",
             "IPsec の ESP では、タグ 16 バイトの AES-GCM を先頭に提案します。";
        why  "The first proposal that both sides have is taken. The kernel does the work with code of its own, which \
              uses the same instructions.",
             "両側が対応する最初の提案が使われます。処理はカーネルの実装が行いますが、使う命令は同じです。";

    IPSEC_CHACHA20, "ipsec-chacha20":
        when "ChaCha20-Poly1305 comes first by the figures (as for TLS).",
             "値から ChaCha20-Poly1305 が優先されるとき（TLS と同じ判断）。";
        says "Propose ChaCha20-Poly1305 for ESP (RFC 7634) before AES-GCM.",
             "IPsec の ESP では、ChaCha20-Poly1305（RFC 7634）を AES-GCM より先に提案します。";
        why  "The first proposal that both sides have is taken; a peer without it falls back to AES-GCM. Where the SoC \
              has a crypto engine that the kernel uses for IPsec, measure that: no figure here covers it.",
             "両側が対応する最初の提案が使われ、対応しない相手とは AES-GCM になります。SoC の暗号エンジンをカーネルが IPsec に使える場合は、別に測ってください。ここにその値はありません。";
}

//! What is said of TLS and QUIC.

use super::{phrases, words};

words! {
    TLS_AES_GCM, "tls-aes-gcm":
        when "AES-GCM is shown to be faster than ChaCha20-Poly1305.",
             "AES-GCM が ChaCha20-Poly1305 より速いと示されたとき。";
        says "Take AES-GCM for TLS: {winner} is {times} times as fast as {loser} here.",
             "TLS では AES-GCM を選びます。ここでは {winner} が {loser} の {times} 倍の速さです。";
        why  "AES-GCM runs on the CPU’s instructions for AES and carry-less multiplication; ChaCha20 has none of its \
              own. Clients without AES instructions (older phones, small boards) put ChaCha20 first; PrioritizeChaCha \
              gives it to them and to nobody else.",
             "AES-GCM は AES とキャリーレス乗算の専用命令で動きますが、ChaCha20 には専用命令がありません。AES 命令を持たないクライアント（古いスマートフォンや小型ボードなど）\
              は ChaCha20 を先頭に挙げてくるので、PrioritizeChaCha によりそのようなクライアントにだけ ChaCha20 を使います。";

    TLS_CHACHA20, "tls-chacha20":
        when "ChaCha20-Poly1305 is shown to be faster than AES-GCM.",
             "ChaCha20-Poly1305 が AES-GCM より速いと示されたとき。";
        says "Take ChaCha20-Poly1305 for TLS: it is {times} times as fast as {loser} here.",
             "TLS では ChaCha20-Poly1305 を選びます。ここでは {loser} の {times} 倍の速さです。";
        why  "Where AES has no instructions of its own, ChaCha20-Poly1305 is the faster AEAD, and its software needs \
              no tables that leak through time. Its security is no lower: a 256-bit key and a 128-bit tag. The other \
              side hardly notices: a CPU with AES instructions is fast enough at both.",
             "AES の専用命令が使われない環境では ChaCha20-Poly1305 のほうが速く、実行時間から鍵が漏れるおそれのある表引きも要りません。\
              鍵は 256 ビット、タグは 128 ビットで、安全性は劣りません。通信相手が AES 命令を持つ CPU であっても、どちらの暗号も十分に速く処理できます。";

    TLS_EITHER, "tls-either":
        when "Both were measured, and no difference is shown (or less than 10 %, where there is no interval).",
             "両方の値があり、差が認められないとき（区間のない値では 10 % 未満の差）。";
        says "Either AEAD will do for TLS; prefer {preferred}, because {because}.",
             "TLS の AEAD はどちらでもかまいません。選ぶなら {preferred} です（理由: {because}）。";
        why  "A difference within the noise is none. Figures that somebody printed have no interval; less than 10 % \
              between them says nothing.",
             "雑音の範囲にある差は、差とはみなしません。公表された値には区間がないため、10 % 未満の違いからは何も言えません。";

    TLS_NOT_MEASURED, "tls-not-measured":
        when "There are figures of ciphers, but not of both AEADs.",
             "暗号の値はあるが、2 つの AEAD の両方はないとき。";
        says "Measure AES-GCM and ChaCha20-Poly1305 before choosing for TLS: {tells}.",
             "TLS の暗号を選ぶ前に、AES-GCM と ChaCha20-Poly1305 を測ってください。{tells}。";
        why  "The choice is one of measured speed, and one of the two (or both) was not measured. CBC figures do not \
              stand in for GCM: the two use different instructions.",
             "どちらを選ぶかは実測の速さで決まりますが、少なくとも一方が測られていません。CBC と GCM では使う命令が違うため、CBC の値で GCM を代えることはできません。";

    KEY_SIZE_128, "key-size-128":
        when "AES-256-GCM costs 10 % or more of the throughput of AES-128-GCM.",
             "AES-256-GCM のスループットが AES-128-GCM より 10 % 以上低いとき。";
        says "Where AES-GCM is used, 128-bit keys are enough; 256 bits cost {cost} of the throughput.",
             "AES-GCM を使う場合、鍵は 128 ビットで十分です。256 ビットにするとスループットが {cost} 下がります。";
        why  "Nobody breaks AES-128 by trying keys. Take AES-256 where a policy asks for it, or where what is sent \
              today must stay secret for decades.",
             "AES-128 を鍵の総当たりで破ることはできません。規程で求められる場合や、今日の通信を何十年も秘密にしておきたい場合は AES-256 を選びます。";

    KEY_SIZE_256, "key-size-256":
        when "AES-256-GCM costs less than 10 % of the throughput of AES-128-GCM, or no difference is shown.",
             "AES-256-GCM のスループットの低下が 10 % 未満か、差が認められないとき。";
        says "Either key size will do; prefer AES-256, which costs less than 10 % here.",
             "鍵の長さはどちらでもかまいません。ここでは AES-256 による低下が 10 % 未満なので、AES-256 を勧めます。";
        why  "AES-128 is safe as well; the longer key adds a margin against what is not known yet.",
             "AES-128 も安全ですが、長い鍵にはまだ知られていない攻撃に対する余裕があります。";

    QUIC_AES_GCM, "quic-aes-gcm":
        when "AES-GCM is shown to be faster at the size of a QUIC packet (1,350 to 1,440 bytes).",
             "QUIC パケットの大きさ（1,350～1,440 バイト）で AES-GCM が速いと示されたとき。";
        says "For QUIC too: {winner} is {times} times as fast as {loser} in packets.",
             "QUIC でも AES-GCM です。パケットの大きさで {winner} は {loser} の {times} 倍の速さです。";
        why  "A packet is short: set-up and tag weigh more than in a TLS record of 16 KiB, so packets are judged by \
              figures at their own size. The header’s protection is not among them.",
             "パケットは短く、16 KiB の TLS レコードに比べて準備とタグの割合が大きいため、パケットの大きさで測った値で判断します。ヘッダ保護の時間は含みません。";

    QUIC_CHACHA20, "quic-chacha20":
        when "ChaCha20-Poly1305 is shown to be faster at the size of a QUIC packet (1,350 to 1,440 bytes).",
             "QUIC パケットの大きさ（1,350～1,440 バイト）で ChaCha20-Poly1305 が速いと示されたとき。";
        says "For QUIC: {winner} is {times} times as fast as {loser} in packets.",
             "QUIC では、パケットの大きさで {winner} が {loser} の {times} 倍の速さです。";
        why  "A packet is short: set-up and tag weigh more than in a TLS record of 16 KiB, so packets are judged by \
              figures at their own size. The header’s protection is not among them.",
             "パケットは短く、16 KiB の TLS レコードに比べて準備とタグの割合が大きいため、パケットの大きさで測った値で判断します。ヘッダ保護の時間は含みません。";
}

phrases! {
    GAINS_MOST: "it gains most when a newer library or CPU comes", "ライブラリや CPU を新しくしたときの伸びが大きい";
    DOES_NOT_LEAK: "without AES instructions its software is the one that does not leak through time",
                   "AES 命令のない環境では、実行時間から鍵が漏れないソフトウェア実装になる";
    AES_IS_IN_USE: "AES instructions are in use, which speaks for AES-GCM, but no figure shows it",
                   "AES 命令が使われているので AES-GCM が有望ですが、それを示す値がありません";
    NOTHING_TELLS: "nothing here tells which is faster", "どちらが速いかを示す値がありません";
}

//! What is said of TLS and QUIC.

use super::{phrases, words};

words! {
    TLS_AES_GCM, "tls-aes-gcm":
        when "AES-GCM is shown to be faster than ChaCha20-Poly1305.",
             "AES-GCMがChaCha20-Poly1305より速いと示されたとき。";
        says "Take AES-GCM for TLS: {winner} is {times} times as fast as {loser} here.",
             "TLSではAES-GCMを選びます。ここでは{winner}が{loser}の{times}倍の速さです。";
        why  "AES-GCM runs on the CPU’s instructions for AES and carry-less multiplication; ChaCha20 has none of its \
              own. Clients without AES instructions (older phones, small boards) put ChaCha20 first; PrioritizeChaCha \
              gives it to them and to nobody else.",
             "AES-GCMはAESとキャリーレス乗算の専用命令で動きますが、ChaCha20には専用命令がありません。AES命令を持たない\
              クライアント（古いスマートフォンや小型ボードなど）はChaCha20を先頭に挙げてくるので、PrioritizeChaChaによ\
              りそのようなクライアントにだけChaCha20を使います。";

    TLS_CHACHA20, "tls-chacha20":
        when "ChaCha20-Poly1305 is shown to be faster than AES-GCM.",
             "ChaCha20-Poly1305がAES-GCMより速いと示されたとき。";
        says "Take ChaCha20-Poly1305 for TLS: it is {times} times as fast as {loser} here.",
             "TLSではChaCha20-Poly1305を選びます。ここでは{loser}の{times}倍の速さです。";
        why  "Where AES has no instructions of its own, ChaCha20-Poly1305 is the faster AEAD, and its software needs \
              no tables that leak through time. Its security is no lower: a 256-bit key and a 128-bit tag. The other \
              side hardly notices: a CPU with AES instructions is fast enough at both.",
             "AESの専用命令が使われない環境ではChaCha20-Poly1305のほうが速く、実行時間から鍵が漏れるおそれのある表引き\
              も要りません。鍵は256ビット、タグは128ビットで、安全性は劣りません。\
              通信相手がAES命令を持つCPUであっても、どちらの暗号も十分に速く処理できます。";

    TLS_EITHER, "tls-either":
        when "Both were measured, and no difference is shown (or less than 10 %, where there is no interval).",
             "両方の値があり、差が認められないとき（区間のない値では10 %未満の差）。";
        says "Either AEAD will do for TLS; prefer {preferred}, because {because}.",
             "TLSのAEADはどちらでもかまいません。選ぶなら{preferred}です（理由：{because}）。";
        why  "A difference within the noise is none. Figures that somebody printed have no interval; less than 10 % \
              between them says nothing.",
             "ノイズの範囲にある差は、差とはみなしません。公表された値には区間がないため、10 %未満の違いからは何も言え\
              ません。";

    TLS_NOT_MEASURED, "tls-not-measured":
        when "There are figures of ciphers, but not of both AEADs.",
             "暗号の値はあるが、2つのAEADの両方はないとき。";
        says "Measure AES-GCM and ChaCha20-Poly1305 before choosing for TLS: {tells}.",
             "TLSの暗号を選ぶ前に、AES-GCMとChaCha20-Poly1305を測ってください。{tells}。";
        why  "The choice is one of measured speed, and one of the two (or both) was not measured. CBC figures do not \
              stand in for GCM: the two use different instructions.",
             "どちらを選ぶかは実測の速さで決まりますが、少なくとも一方が測られていません。CBCとGCMでは使う命令が違うた\
              め、CBCの値でGCMを代えることはできません。";

    KEY_SIZE_128, "key-size-128":
        when "AES-256-GCM costs 10 % or more of the throughput of AES-128-GCM.",
             "AES-256-GCMのスループットがAES-128-GCMより10 %以上低いとき。";
        says "Where AES-GCM is used, 128-bit keys are enough; 256 bits cost {cost} of the throughput.",
             "AES-GCMを使う場合、鍵は128ビットで十分です。256ビットにするとスループットが{cost}下がります。";
        why  "Nobody breaks AES-128 by trying keys. Take AES-256 where a policy asks for it, or where what is sent \
              today must stay secret for decades.",
             "AES-128を鍵の総当たりで破ることはできません。規程で求められる場合や、\
              今日の通信を何十年も秘密にしておきたい場合はAES-256を選びます。";

    KEY_SIZE_256, "key-size-256":
        when "AES-256-GCM costs less than 10 % of the throughput of AES-128-GCM, or no difference is shown.",
             "AES-256-GCMのスループットの低下が10 %未満か、差が認められないとき。";
        says "Either key size will do; prefer AES-256, which costs less than 10 % here.",
             "鍵の長さはどちらでもかまいません。ここではAES-256による低下が10 %未満なので、AES-256を勧めます。";
        why  "AES-128 is safe as well; the longer key adds a margin against what is not known yet.",
             "AES-128も安全ですが、長い鍵にはまだ知られていない攻撃に対する余裕があります。";

    QUIC_AES_GCM, "quic-aes-gcm":
        when "AES-GCM is shown to be faster at the size of a QUIC packet (1,350 to 1,440 bytes).",
             "QUICパケットの大きさ（1,350～1,440バイト）でAES-GCMが速いと示されたとき。";
        says "For QUIC too: {winner} is {times} times as fast as {loser} in packets.",
             "QUICでもAES-GCMです。パケットの大きさで{winner}は{loser}の{times}倍の速さです。";
        why  "A packet is short: set-up and tag weigh more than in a TLS record of 16 KiB, so packets are judged by \
              figures at their own size. The header’s protection is not among them.",
             "パケットは短く、16 KiBのTLSレコードに比べて準備とタグの割合が大きいため、\
              パケットの大きさで測った値で判断します。ヘッダー保護の時間は含みません。";

    QUIC_CHACHA20, "quic-chacha20":
        when "ChaCha20-Poly1305 is shown to be faster at the size of a QUIC packet (1,350 to 1,440 bytes).",
             "QUICパケットの大きさ（1,350～1,440バイト）でChaCha20-Poly1305が速いと示されたとき。";
        says "For QUIC: {winner} is {times} times as fast as {loser} in packets.",
             "QUICでは、パケットの大きさで{winner}が{loser}の{times}倍の速さです。";
        why  "A packet is short: set-up and tag weigh more than in a TLS record of 16 KiB, so packets are judged by \
              figures at their own size. The header’s protection is not among them.",
             "パケットは短く、16 KiBのTLSレコードに比べて準備とタグの割合が大きいため、\
              パケットの大きさで測った値で判断します。ヘッダー保護の時間は含みません。";
}

phrases! {
    GAINS_MOST: "it gains most when a newer library or CPU comes", "ライブラリやCPUを新しくしたときの伸びが大きい";
    DOES_NOT_LEAK: "without AES instructions its software is the one that does not leak through time",
                   "AES命令のない環境では、実行時間から鍵が漏れないソフトウェア実装になる";
    AES_IS_IN_USE: "AES instructions are in use, which speaks for AES-GCM, but no figure shows it",
                   "AES命令が使われているのでAES-GCMが有望ですが、それを示す値がありません";
    NOTHING_TELLS: "nothing here tells which is faster", "どちらが速いかを示す値がありません";
}

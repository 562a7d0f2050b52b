//! What is said of hash functions.

use super::words;

words! {
    HASH_FASTEST, "hash-fastest":
        when "One of SHA-256, SHA-512, SHA3-256, BLAKE2s and BLAKE2b is shown to be faster than all others.",
             "SHA-256、SHA-512、SHA3-256、BLAKE2s、BLAKE2bのうち1つがほかのどれより速いと示されたとき。";
        says "Where the choice is yours (checksums, own formats), take {winner}: {times} times as fast as {loser}, the \
              next.",
             "自分で選べる場面（チェックサムや独自の形式など）では{winner}を選びます。\
              次に速い{loser}の{times}倍の速さです。";
        why  "All of these are safe. In TLS and SSH the suite brings its hash with it, and with an AEAD it hardly \
              matters after the handshake.",
             "どれも安全なハッシュ関数です。TLSやSSHではハッシュは暗号スイートで決まり、AEADを使っていればハンドシェイ\
              ク後の速さにはほとんど影響しません。";

    HASH_EITHER, "hash-either":
        when "Between the two fastest of these hashes no difference is shown.",
             "最も速い2つのハッシュの間に差が認められないとき。";
        says "Where the choice is yours, {preferred} or {other} will do; prefer {preferred}, which more programs have.",
             "自分で選べる場面では{preferred}と{other}のどちらでもかまいません。対応するソフトウェアの多い{preferred}を\
              勧めます。";
        why  "All of these are safe. A difference within the noise is none, and figures without an interval must be 10 \
              % apart to tell anything.",
             "どちらも安全なハッシュ関数です。ノイズの範囲にある差は差とはみなさず、\
              区間のない値では10 %以上の違いがなければ何も言えません。";

    SHA_512_OVER_256, "sha-512-over-256":
        when "SHA-512 is shown to be faster than SHA-256.",
             "SHA-512がSHA-256より速いと示されたとき。";
        says "Of SHA-2, {winner} is the fast one here: {times} times as fast as {loser}. Where 256 bits are wanted, \
              SHA-512/256 gives them at that speed.",
             "SHA-2の中では{winner}が{loser}の{times}倍の速さです。256ビットの値が必要なら、\
              同じ速さのSHA-512/256があります。";
        why  "SHA-512 works on 64-bit words, so a 64-bit CPU without SHA instructions takes more bytes a step.",
             "SHA-512は64ビット単位で計算するため、SHA命令のない64ビットCPUでは一度に処理できるバイト数が多くなりま\
              す。";

    SHA_256_OVER_512, "sha-256-over-512":
        when "SHA-256 is shown to be faster than SHA-512.",
             "SHA-256がSHA-512より速いと示されたとき。";
        says "Of SHA-2, {winner} is the fast one here: {times} times as fast as {loser}.",
             "SHA-2の中では{winner}が{loser}の{times}倍の速さです。";
        why  "Either the CPU has instructions for SHA-256 (few have them for SHA-512), or its words have 32 bits, and \
              SHA-512 needs 64.",
             "CPUにSHA-256の専用命令がある（SHA-512の命令を持つCPUはまだ少数です）か、32ビットCPUで64ビット演算\
              のSHA-512が不利なためです。";

    SHA_1_LEGACY, "sha-1-legacy":
        when "There is a figure of SHA-1.",
             "SHA-1の値があるとき。";
        says "SHA-1 is no choice, whatever its figure: it is there for what is old.",
             "SHA-1は、どれだけ速くても選びません。古いものとの互換のためだけのハッシュです。";
        why  "Collisions of SHA-1 have been made (SHAttered, 2017), with chosen beginnings since 2020, and NIST \
              withdraws it by the end of 2030.",
             "SHA-1の衝突はすでに作られており（2017年のSHAttered、2020年には選択プレフィックス衝突）、NISTは2030年末ま\
              でに廃止します。";
}

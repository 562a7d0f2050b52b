//! What is said of modes of block ciphers.

use super::words;

words! {
    NEVER_64_BIT_BLOCKS, "never-64-bit-blocks":
        when "There is a figure of a cipher with blocks of 64 bits (3DES, Blowfish, DES, IDEA, CAST5, RC2, RC5).",
             "64ビットブロックの暗号（3DES、Blowfish、DES、IDEA、CAST5、RC2、RC5）の値があるとき。";
        says "Never use {cipher} or another cipher with 64-bit blocks, however fast.",
             "{cipher}など64ビットブロックの暗号は、速さにかかわらず使いません。";
        why  "After some 32 GB under one key, blocks repeat and give text away (SWEET32, CVE-2016-2183). OpenSSL 3 \
              keeps most of these in its legacy provider, and TLS 1.3 has none.",
             "1つの鍵で32 GBほど暗号化すると同じブロックが現れ、平文が漏れます（SWEET32、CVE-2016-2183）。OpenSSL 3では\
              多くがlegacyプロバイダーに移され、TLS 1.3にはありません。";

    GCM_OVER_CBC, "gcm-over-cbc":
        when "AES-GCM is shown to be faster than AES-CBC with the same key size.",
             "同じ鍵長でAES-GCMがAES-CBCより速いと示されたとき。";
        says "Leave CBC: {winner} is {times} times as fast as {loser}, and authenticates besides.",
             "CBCはやめます。{winner}は{loser}の{times}倍の速さで、そのうえ認証も行います。";
        why  "In CBC each block waits for the one before, so encrypting cannot use the AES instructions side by side; \
              in GCM it can. CBC also needs an HMAC, which its figure does not hold, and its padding has been attacked \
              again and again in TLS (Lucky Thirteen, POODLE).",
             "CBCの暗号化は前のブロックの結果を待つため、AES命令を並列に使えません。GCMでは使えます。CBCには別にHMACも\
              必要で、その時間は値に含まれていません。TLSではCBCのパディングが何度も攻撃されています（Lucky \
              Thirteen、POODLE）。";

    CBC_IS_HALF_THE_WORK, "cbc-is-half-the-work":
        when "AES-CBC was measured beside AES-GCM and is not slower.",
             "AES-CBCとAES-GCMの値があり、CBCのほうが遅くないとき。";
        says "Leave CBC in TLS and VPNs all the same: its figure is that of half the work.",
             "それでもTLSやVPNでCBCは使いません。CBCの値は、必要な処理の半分の値です。";
        why  "CBC does not authenticate: an HMAC over every record comes on top, and its padding has been attacked \
              again and again in TLS (Lucky Thirteen, POODLE). Compare AEADs with each other.",
             "CBCは認証を行わないため、レコードごとにHMACの計算が加わります。TLSではCBCのパディングが何度も攻撃されてい\
              ます（Lucky Thirteen、POODLE）。比べるならAEADどうしで比べてください。";
}

//! What is said of key agreement and signatures.

use super::words;

words! {
    AGREE_X25519, "agree-x25519":
        when "P-256 (or, where that was not measured, X448) is not 1.5 times as fast as X25519.",
             "P-256（なければ X448）が X25519 の 1.5 倍以上の速さではないとき。";
        says "Agree on keys with X25519: {figure}.",
             "鍵交換には X25519 を使います（{figure}）。";
        why  "Its code is simple to write without branches on secrets, and every current TLS and SSH has it. X448 \
              costs several times as much for a margin that TLS does not need. Each handshake takes one key pair and \
              one agreement on each side.",
             "秘密の値で分岐しない実装を作りやすく、現在の TLS と SSH はどれも対応しています。X448 は数倍の時間がかかり、TLS にはそこまでの余裕は不要です。\
              ハンドシェイクごとに、双方で鍵生成と鍵共有を 1 回ずつ行います。";

    AGREE_P256, "agree-p256":
        when "P-256 is shown to be 1.5 times as fast as X25519, or more.",
             "P-256 が X25519 の 1.5 倍以上の速さだと示されたとき。";
        says "Agree on keys with P-256 first, X25519 next: {winner} is {times} times as fast as {loser} with this \
              library.",
             "鍵交換は P-256、次に X25519 の順にします。このライブラリでは {winner} が {loser} の {times} 倍の速さです。";
        why  "OpenSSL has assembly for P-256 on many CPUs. Both are safe. Most clients send a share for X25519 only, \
              and asking them for another costs a round trip: on a public server X25519 first may still be quicker.",
             "OpenSSL には P-256 用のアセンブリ実装が多くの CPU 向けにあります。どちらも安全です。多くのクライアントは X25519 の鍵だけを送ってくるため、\
              P-256 を求めると往復が 1 回増えます。公開サーバでは X25519 を先にしたほうが速いこともあります。";

    AGREE_HYBRID, "agree-hybrid":
        when "ML-KEM-768 and X25519 were both measured.",
             "ML-KEM-768 と X25519 の値があるとき。";
        says "Prefer the hybrid X25519MLKEM768 in TLS: on a server its encapsulation adds {extra} to the time of an \
              X25519 agreement.",
             "TLS ではハイブリッド鍵交換 X25519MLKEM768 を優先します。サーバではカプセル化の分、X25519 の鍵共有の時間が {extra} 増えます。";
        why  "What is recorded today can be opened once quantum computers can; the hybrid holds as long as either half \
              does. It sends about 1.1 KB more each way. OpenSSL has it from 3.5, and by default.",
             "今日記録された通信は、量子計算機が実用になれば解読されるおそれがあります。ハイブリッドはどちらか一方が破られても安全です。送受信はそれぞれ約 1.1 KB 増えます。\
              OpenSSL では 3.5 以降で使え、既定で有効です。";

    SIGN_ED25519, "sign-ed25519":
        when "Ed25519 is shown to sign faster than every other scheme that was measured.",
             "測った署名方式の中で Ed25519 の署名が最も速いと示されたとき。";
        says "Sign with Ed25519 (SSH keys, own certificates): {times} times as many signatures a second as {loser}. \
              Public TLS certificates take ECDSA P-256.",
             "署名には Ed25519 を使います（SSH の鍵や自前の証明書）。1 秒あたりの署名回数は {loser} の {times} 倍です。公開の TLS 証明書には ECDSA P-256 を使います。";
        why  "A server signs once a handshake. Browsers and public authorities do not take Ed25519 certificates; ECDSA \
              P-256 is the short one they do take.",
             "サーバはハンドシェイクごとに 1 回署名します。ブラウザや公的な認証局は Ed25519 の証明書を扱わないため、そこでは鍵の短い ECDSA P-256 になります。";

    SIGN_ECDSA_P256, "sign-ecdsa-p256":
        when "ECDSA P-256 is shown to sign faster than every other scheme that was measured.",
             "測った署名方式の中で ECDSA P-256 の署名が最も速いと示されたとき。";
        says "Sign with ECDSA P-256 in TLS: {times} times as many signatures a second as {loser}. For SSH keys Ed25519 \
              is as good.",
             "TLS の署名には ECDSA P-256 を使います。1 秒あたりの署名回数は {loser} の {times} 倍です。SSH の鍵は Ed25519 でかまいません。";
        why  "A server signs once a handshake, and P-256 is what public certificates take. An SSH key signs once a \
              login, where the difference does not show; Ed25519 needs no random number for a signature.",
             "サーバはハンドシェイクごとに 1 回署名し、公開の証明書には P-256 を使えます。SSH の鍵はログインごとに 1 回しか署名しないので差は現れず、Ed25519 は署名に乱数が要りません。";

    RSA_SIGNS_SLOWLY, "rsa-signs-slowly":
        when "ECDSA P-256 is shown to sign faster than RSA.",
             "ECDSA P-256 の署名が RSA より速いと示されたとき。";
        says "A server with an RSA certificate spends {times} times as long on each handshake’s signature as with \
              ECDSA P-256: use a P-256 certificate, and keep RSA beside it only for clients that need it.",
             "RSA 証明書のサーバでは、ハンドシェイクごとの署名に ECDSA P-256 の {times} 倍の時間がかかります。P-256 の証明書にし、RSA は必要なクライアントのためだけに併用します。";
        why  "RSA verifies fast and signs slowly; the server signs.",
             "RSA は検証が速く署名が遅い方式で、署名するのはサーバです。";
}

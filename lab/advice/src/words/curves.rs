//! What is said of key agreement and signatures.

use super::words;

words! {
    AGREE_X25519, "agree-x25519":
        when "P-256 (or, where that was not measured, X448) is not 1.5 times as fast as X25519.",
             "P-256（なければX448）がX25519の1.5倍以上の速さではないとき。";
        says "Agree on keys with X25519: {figure}.",
             "鍵共有にはX25519を使います（{figure}）。";
        why  "Its code is simple to write without branches on secrets, and every current TLS and SSH has it. X448 \
              costs several times as much for a margin that TLS does not need. Each handshake takes one key pair and \
              one agreement on each side.",
             "秘密の値で分岐しない実装を作りやすく、現在のTLSとSSHはどれも対応しています。X448は数倍の時間がかか\
              り、TLSにはそこまでの余裕は不要です。ハンドシェイクごとに、双方で鍵生成と鍵共有を1回ずつ行います。";

    AGREE_P256, "agree-p256":
        when "P-256 is shown to be 1.5 times as fast as X25519, or more.",
             "P-256がX25519の1.5倍以上の速さだと示されたとき。";
        says "Agree on keys with P-256 first, X25519 next: {winner} is {times} times as fast as {loser} with this \
              library.",
             "鍵共有はP-256、次にX25519の順にします。このライブラリでは{winner}が{loser}の{times}倍の速さです。";
        why  "OpenSSL has assembly for P-256 on many CPUs. Both are safe. Most clients send a share for X25519 only, \
              and asking them for another costs a round trip: on a public server X25519 first may still be quicker.",
             "OpenSSLにはP-256用のアセンブリ実装が多くのCPU向けにあります。どちらも安全です。\
              多くのクライアントはX25519の鍵だけを送ってくるため、P-256を求めると往復が1回増えます。\
              公開サーバーではX25519を先にしたほうが速いこともあります。";

    AGREE_HYBRID, "agree-hybrid":
        when "ML-KEM-768 and X25519 were both measured.",
             "ML-KEM-768とX25519の値があるとき。";
        says "Prefer the hybrid X25519MLKEM768 in TLS: on a server its encapsulation adds {extra} to the time of an \
              X25519 agreement.",
             "TLSではハイブリッド鍵共有X25519MLKEM768を優先します。サーバーではカプセル化の分、X25519の鍵共有の時間\
              が{extra}増えます。";
        why  "What is recorded today can be opened once quantum computers can; the hybrid holds as long as either half \
              does. It sends about 1.1 KB more each way. OpenSSL has it from 3.5, and by default.",
             "今日記録された通信は、量子計算機が実用になれば解読されるおそれがあります。\
              ハイブリッドはどちらか一方が破られても安全です。送受信はそれぞれ約1.1 KB増えます。OpenSSLでは3.5以降で使\
              え、既定で有効です。";

    SIGN_ED25519, "sign-ed25519":
        when "Ed25519 is shown to sign faster than every other scheme that was measured.",
             "測った署名方式の中でEd25519の署名が最も速いと示されたとき。";
        says "Sign with Ed25519 (SSH keys, own certificates): {times} times as many signatures a second as {loser}. \
              Public TLS certificates take ECDSA P-256.",
             "署名にはEd25519を使います（SSHの鍵や自前の証明書）。1秒あたりの署名回数は{loser}の{times}倍です。\
              公開のTLS証明書にはECDSA P-256を使います。";
        why  "A server signs once a handshake. Browsers and public authorities do not take Ed25519 certificates; ECDSA \
              P-256 is the short one they do take.",
             "サーバーはハンドシェイクごとに1回署名します。ブラウザーや公的な認証局はEd25519の証明書を扱わないため、\
              そこでは鍵の短いECDSA P-256になります。";

    SIGN_ECDSA_P256, "sign-ecdsa-p256":
        when "ECDSA P-256 is shown to sign faster than every other scheme that was measured.",
             "測った署名方式の中でECDSA P-256の署名が最も速いと示されたとき。";
        says "Sign with ECDSA P-256 in TLS: {times} times as many signatures a second as {loser}. For SSH keys Ed25519 \
              is as good.",
             "TLSの署名にはECDSA P-256を使います。1秒あたりの署名回数は{loser}の{times}倍です。SSHの鍵はEd25519でかまい\
              ません。";
        why  "A server signs once a handshake, and P-256 is what public certificates take. An SSH key signs once a \
              login, where the difference does not show; Ed25519 needs no random number for a signature.",
             "サーバーはハンドシェイクごとに1回署名し、公開の証明書にはP-256を使えます。SSHの鍵はログインごとに1回しか\
              署名しないので差は現れず、Ed25519は署名に乱数が要りません。";

    RSA_SIGNS_SLOWLY, "rsa-signs-slowly":
        when "ECDSA P-256 is shown to sign faster than RSA.",
             "ECDSA P-256の署名がRSAより速いと示されたとき。";
        says "A server with an RSA certificate spends {times} times as long on each handshake’s signature as with \
              ECDSA P-256: use a P-256 certificate, and keep RSA beside it only for clients that need it.",
             "RSA証明書のサーバーでは、ハンドシェイクごとの署名にECDSA P-256の{times}倍の時間がかかります。P-256の証明\
              書にし、RSAは必要なクライアントのためだけに併用します。";
        why  "RSA verifies fast and signs slowly; the server signs.",
             "RSAは検証が速く署名が遅い方式で、署名するのはサーバーです。";
}

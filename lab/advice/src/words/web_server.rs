//! What is said of nginx.

use super::{phrases, words};

words! {
    NGINX_KASOKU_PROVIDER, "nginx-kasoku-provider":
        when "With Kasoku’s provider nginx is shown to take at least 10 % less CPU time for the same files than with \
              OpenSSL’s own code.",
             "Kasokuのプロバイダーを使うnginxが、OpenSSL自身の実装より、同じファイルの送信に使うCPU時間が10 %以上少ない\
              と示されたとき。";
        says "Give nginx Kasoku’s provider: with {suite} it takes {saved} less CPU time for the same files than with \
              OpenSSL’s own code.",
             "nginxにKasokuのプロバイダーを使わせます。{suite}では、同じファイルの送信に使うCPU時間がOpenSSL自身の実装\
              より{saved}少なくなります。";
        why  "OpenSSL 3 takes a provider by configuration: nginx stays as it is, and other programs do not notice. \
              OpenSSL passes over a module that it cannot load and says nothing, so look whether it is used. Where the \
              server’s CPU is not the limit, it sends no more, but more of its CPU is left.",
             "OpenSSL 3のプロバイダーは設定だけで加わり、nginxはそのままで、ほかのプログラムにも影響しません。OpenSSLは\
              読み込めないモジュールを黙って無視するので、使われていることを確かめてください。\
              サーバーのCPUが限界でない場合、送る量は増えませんがCPUに余裕ができます。";

    NGINX_AEADS_ONLY, "nginx-aeads-only":
        when "nginx is shown to take at least 1.1 times the CPU time with AES-CBC and HMAC as with AES-GCM, by \
              OpenSSL’s own code.",
             "OpenSSL自身の実装で、AES-CBCとHMACを使うnginxのCPU時間がAES-GCMの1.1倍以上と示されたとき。";
        says "Take the suites with AES-CBC out of nginx’s ssl_ciphers: {loser} costs {times} times the CPU time of \
              {winner}.",
             "nginxのssl_ciphersからAES-CBCの暗号スイートを外します。{loser}は{winner}の{times}倍のCPU時間を使います。";
        why  "In CBC each block waits for the one before, and an HMAC goes over all of it again; its padding has been \
              attacked again and again in TLS (Lucky Thirteen, POODLE). The lines leave out key exchange by RSA too, \
              with which both were measured as published: it keeps no past traffic secret.",
             "CBCでは各ブロックが前のブロックの結果を待ち、さらに全体にHMACの計算が加わります。TLSではCBCのパディングが\
              何度も攻撃されています（Lucky Thirteen、POODLE）。下の行ではRSA鍵共有も外しています。\
              測定は公表値に合わせてRSA鍵共有で行いましたが、過去の通信の秘密を守れないためです。";

    NGINX_AES_GCM_FIRST, "nginx-aes-gcm-first":
        when "nginx is shown to take more CPU time with ChaCha20-Poly1305 than with AES-GCM under TLS 1.3, by \
              OpenSSL’s own code.",
             "OpenSSL自身の実装で、TLS 1.3のChaCha20-Poly1305を使うnginxのCPU時間がAES-GCMより多いと示されたとき。";
        says "Have nginx put AES-GCM first: {loser} takes {cost} more CPU time for the same files.",
             "nginxではAES-GCMを先頭にします。同じファイルの送信に、{loser}はCPU時間を{cost}多く使います。";
        why  "Left to clients, the choice is made by what is fast for them. PrioritizeChaCha still gives ChaCha20 to \
              those that put it first, which have no AES instructions, and to nobody else.",
             "クライアントに任せると、クライアント側で速い暗号が選ばれます。PrioritizeChaChaを使えば、AES命令を持た\
              ずChaCha20を先頭に挙げるクライアントにだけChaCha20を使います。";

    LIMIT_REACHED, "limit-reached":
        when "A web server was measured with as many connections at once as a limit of the system allows.",
             "Webサーバーの測定で、同時接続数がシステムの上限に達したとき。";
        says "Raise {limit}: it allows {connections} connections at once, and the measurement took as many.",
             "{limit}を引き上げます。同時接続数は{connections}までで、測定はそこに達しました。";
        why  "With more connections this server might have sent more. What is over a limit is refused or waits, and no \
              figure of throughput shows that.",
             "接続数を増やせば、さらに多く送れた可能性があります。上限を超えた接続は拒まれるか待たされますが、\
              スループットの値には現れません。";

    LIMIT_FIRST, "limit-first":
        when "A limit of the system allows fewer connections at once than nginx itself (8,192 a worker here), and the \
              measurement took fewer still.",
             "同時接続数の上限がnginx自身の設定（ここではワーカーあたり8,192）より小さいシステムの制限があり、\
              測定ではそこまで使わなかったとき。";
        says "Before this server holds more than {connections} connections at once, raise {limit}: of the system’s \
              limits it is the first to bind.",
             "同時接続数が{connections}を超える前に{limit}を引き上げます。システムの制限のうち最初に効くのはこれです。";
        why  "Nothing here was slower for it: few connections keep a core busy where the clients are fast. Slow ones \
              hold theirs for long, and there are many of them.",
             "この測定は遅くなっていません。速いクライアントなら少ない接続でコアを使い切るためです。\
              遅いクライアントは接続を長く占めるので、数が多くなります。";
}

phrases! {
    OPEN_FILES: "the limit of open files", "開けるファイル数の上限";
    WORKER_CONNECTIONS: "nginx’s worker_connections", "nginxのworker_connections";
}

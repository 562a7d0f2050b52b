//! Java.

use super::say::subject;

subject! {
    /// Java.
    JvmMessages {
        texts {
            title: "Java" | "Java（JVM）";
            more:
                "Every run, cipher and server, the published ones, what to set"
                | "全測定値、HTTPSサーバー、公表値、設定の指針";
            explained:
                "What a Java program gets of this CPU: the ciphers of Java’s own provider in each virtual machine, \
                 of Mozilla’s NSS through SunPKCS11, and of providers that a program can add (Kasoku, Amazon Corretto \
                 Crypto Provider, Conscrypt, Bouncy Castle) as far as they are here, with the CPU’s cryptographic \
                 instructions and without; an HTTPS server whose records they seal; and crypto.aes, a workload of \
                 SPECjvm2008 written anew from its description. Everything is measured after the compiler has finished."
                | "JavaのプログラムがこのCPUの暗号命令からどれだけの効果を得られるかを示します。各JVMの標準プロバイ\
                   ダー、SunPKCS11経由で使うMozillaのNSS、プログラムに追加できるプロバイダー（Kasoku、Amazon \
                   Corretto Crypto Provider、Conscrypt、Bouncy Castleのうちこのマシンにあるもの）について、暗号命令を\
                   使う場合と使わない場合を測りました。また、レコードの暗号化をこれらが行うHTTPSサーバーも測りまし\
                   た。crypto.aesは、SPECjvm2008のワークロードをその仕様の説明から新たに書いたものです。いずれもJITコン\
                   パイルが終わった状態での値です。";
            who: "in" | "JVM・プロバイダー";
            run: "run" | "実行";
            mean: "mean" | "平均";
            off: "off" | "加速オフ";
            on: "on" | "加速オン";
            improvement: "(on − off) / off" | "向上率（オン − オフ）/ オフ";
            scores: "crypto.aes, operations per minute" | "crypto.aes（処理数/分）";
            scores_note:
                "A run is a start of the virtual machine. The published figures are as printed; theirs is the \
                 original benchmark on another machine, so improvements can be compared, and scores cannot."
                | "1回の実行はJVMの1回の起動に当たります。公表値は記載されているとおりです。別のマシンで本来のベンチ\
                   マークを動かしたものなので、比べられるのは向上率であり、スコアそのものではありません。";
            parts:
                "What an operation of crypto.aes takes, in seconds of one thread"
                | "crypto.aesの1処理にかかる時間の内訳（1スレッドあたりの秒数）";
            state: "acceleration" | "加速";
            whole: "whole" | "全体";
            share: "share of AES" | "AESの割合";
            trap:
                "Most of crypto.aes is 3DES, for which no CPU has instructions: the score says little of AES. AES was \
                 measured by itself; 3DES, where it was not, is what is left."
                | "crypto.aesの大半は、専用の命令を持つCPUがない3DESの処理です。スコアからAESの速さはほとんど分かりま\
                   せん。AESは単独でも測り、3DESは、単独で測っていない場合は残りの時間としました。";
            what: "what" | "処理";
            size: "size" | "サイズ";
            worth: "on / off" | "オン/オフ";
            equal_mark: "=: no difference shown." | "「=」は、差が認められないことを表します。";
            allocated: "B/call" | "確保B/回";
            allocated_note:
                "B/call: bytes that a message allocates for the garbage collector, with acceleration."
                | "「確保B/回」は、加速オンのとき1メッセージごとにヒープに確保されるバイト数です。";
            https_cpu: "CPU s/GB" | "CPU秒/GB";
            https_sends: "× JDK’s" | "JDK比";
            https_costs: "CPU, to JDK’s" | "CPU時間（JDK比）";
            https_note:
                "The JDK’s own server and TLS (jdk.httpserver) on one core, AES-GCM from the provider that stands \
                 first; a client on the loopback only counts what comes. CPU: seconds of the server’s process for \
                 10⁹ bytes, with the kernel’s work and the handshakes."
                | "JDKのHTTPSサーバー（jdk.httpserver）とTLSを1コアで動かし、AES-GCMだけを先頭のプロバイダーが処理しま\
                   す。ループバックのクライアントは届いたバイト数を数えるだけです。CPUは10⁹バイトあたりのサーバープロセ\
                   スの秒数で、カーネルの処理とハンドシェイクを含みます。";
            with_flag: "with the flag" | "フラグ指定時";
            left: "of the speed without it" | "指定なしとの比";
            choose:
                "What follows: a current JDK and no flag is the right configuration. Virtual machines use the \
                 instructions by themselves, but only once the code is compiled at its best, after some ten thousand \
                 calls: short-lived programs see little of them. One routine switched off (`-XX:-UseAESIntrinsics`, \
                 `-XX:-UseGHASHIntrinsics`…) takes most of the speed of GCM away. Where the instructions are missing \
                 although the CPU has them (`kasoku cpu`), the hypervisor hides them."
                | "新しいJDKを、フラグを指定せずに使うのが適切な設定です。JVMは暗号命令を自動的に使いますが、それは1万\
                   回ほど呼び出され、最適化コンパイルが済んだ後のことです。短時間で終わるプログラムでは、効果はわずか\
                   です。組み込みルーチンを1つでも無効にすると（`-XX:-UseAESIntrinsics`、`-XX:-UseGHASHIntrinsics`な\
                   ど）、GCMの速さの大半が失われます。CPUにあるはずの命令が見えない場合は（`kasoku cpu`で確認できま\
                   す）、ハイパーバイザーが隠しています。";
        }
        sentences {
            run_number(number: usize): "{number}" | "{number}回目";
            ciphers(unit: &str): "Ciphers in Java, {unit}" | "Javaでの暗号処理（{unit}）";
            https(suite: &str, size: &str):
                "HTTPS servers in Java: {suite}, files of {size}"
                | "JavaのHTTPSサーバー（{suite}、{size}のファイル）";
            https_counted(who: &str, share: &str):
                "{who} itself counted {share} of what was sent."
                | "{who}自身が処理したと数えたバイト数は、送信したバイト数の{share}でした。";
            flags(unit: &str):
                "With one flag of the virtual machine, {unit}"
                | "JVMのフラグを1つ指定した場合（{unit}）";
        }
        cases {}
    }
}

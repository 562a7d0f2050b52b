//! Java.

use super::words::and;
use super::{messages, say, subject};
use crate::jvm::finding::Finding;
use crate::quantity::{percent, points, size, times};
use kasoku_model::language::Language::{self, English, Japanese};

subject! {
    /// Java.
    JvmMessages {
        texts {
            title: "Java" | "Java（JVM）";
            explained:
                "What a Java program gets of this CPU: the ciphers of Java’s own provider in each virtual machine, \
                 and of Mozilla’s NSS through SunPKCS11, with the CPU’s cryptographic instructions and without; and \
                 crypto.aes, a workload of SPECjvm2008 written anew from its description. Everything is measured \
                 after the compiler has finished."
                | "JavaのプログラムがこのCPUの暗号命令からどれだけの効果を得られるかを示します。各JVMの標準プロバイ\
                   ダーと、SunPKCS11経由で使うMozillaのNSSについて、暗号命令を使う場合と使わない場合を測りまし\
                   た。crypto.aesは、SPECjvm2008のワークロードをその仕様の説明から新たに書いたものです。いずれもJITコ\
                   ンパイルが終わった状態での値です。";
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
            run_number: fn(usize) -> String =
                |number| number.to_string(),
                |number| format!("{number}回目");
            published: fn(&str, Option<u16>) -> String =
                |machine, year| match year {
                    Some(year) => format!("{machine}, published {year}"),
                    None => format!("{machine}, published"),
                },
                |machine, year| match year {
                    Some(year) => format!("{machine}（公表値、{year}年）"),
                    None => format!("{machine}（公表値）"),
                };
            ciphers: fn(&str) -> String =
                |unit| format!("Ciphers in Java, {unit}"),
                |unit| format!("Javaでの暗号処理（{unit}）");
            flags: fn(&str) -> String =
                |unit| format!("With one flag of the virtual machine, {unit}"),
                |unit| format!("JVMのフラグを1つ指定した場合（{unit}）");
            /// A finding.
            sentence: fn(&Finding) -> String =
                |finding| sentence(finding, English),
                |finding| sentence(finding, Japanese);
        }
    }
}

pub(super) fn sentence(finding: &Finding, language: Language) -> String {
    let operation_in = messages(language).words.operation;
    match finding {
        Finding::Accelerated { algorithm, operation, bytes, gains } => {
            let each = |(who, ratio): &(String, f64)| {
                let times = times(*ratio);
                say!(language, "{times} times as fast in {who}", "{who}で{times}倍")
            };
            let gains: Vec<String> = gains.iter().map(each).collect();
            let (english, japanese) = (and(&gains, English), gains.join("、"));
            let (title, what, size) = (algorithm.title(), operation_in(*operation), size(*bytes));
            say!(
                language,
                "Java, {title} {what}: with the CPU’s instructions {english} ({size}).",
                "Javaでの{title}の{what}は、CPUの暗号命令により{japanese}の速さになります（{size}）。"
            )
        }
        Finding::Faster { algorithm, operation, bytes, faster, slower, ratio } => {
            let (title, what, size) = (algorithm.title(), operation_in(*operation), size(*bytes));
            let times = times(*ratio);
            say!(
                language,
                "{title} {what} in {faster} is {times} times as fast as in {slower} ({size}).",
                "{title}の{what}は、{faster}では{slower}の{times}倍の速さです（{size}）。"
            )
        }
        Finding::Flag { algorithm, operation, bytes, with_flag, ratio } => {
            let (title, what, size) = (algorithm.title(), operation_in(*operation), size(*bytes));
            let times = times(*ratio);
            say!(
                language,
                "{title} {what} is {times} times as fast without the flag of {with_flag} ({size}).",
                "{title}の{what}は、フラグを外すと{with_flag}の{times}倍の速さになります（{size}）。"
            )
        }
        Finding::Score { library, improvement, aes: Some((ratio, share)), .. } => {
            let (improvement, times, share) = (points(*improvement), times(*ratio), percent(*share));
            say!(
                language,
                "crypto.aes in {library}: {improvement} % more operations with the CPU’s instructions, though AES by \
                 itself is {times} times as fast: AES is {share} of its time, 3DES the rest.",
                "crypto.aes（{library}）の向上率は{improvement} %ですが、AES単独では{times}倍の速さになっています。AESが\
                 占めるのは処理時間の{share}だけで、残りは3DESです。"
            )
        }
        Finding::Score { library, improvement, aes: None, .. } => {
            let improvement = points(*improvement);
            say!(
                language,
                "crypto.aes in {library}: {improvement} % more operations with the CPU’s instructions.",
                "crypto.aes（{library}）の向上率は{improvement} %です。"
            )
        }
    }
}

//! Java in Japanese.

use super::words::WORDS;
use crate::jvm::finding::Finding;
use crate::language::JvmMessages;
use crate::quantity::{percent, points, size, times};

pub(super) const JVM: JvmMessages = JvmMessages {
    title: "Java（JVM）",
    explained: "JavaのプログラムがこのCPUの暗号命令からどれだけの効果を得られるかを示します。各JVMの標準プロバイダーと、\
                SunPKCS11経由で使うMozillaのNSSについて、暗号命令を使う場合と使わない場合を測りました。crypto.aesは、\
                SPECjvm2008のワークロードをその仕様の説明から新たに書いたものです。いずれもJITコンパイルが終わった状態での値です。",
    who: "JVM・プロバイダー",
    run: "実行",
    mean: "平均",
    off: "加速オフ",
    on: "加速オン",
    improvement: "向上率（オン − オフ）/ オフ",
    scores: "crypto.aes（処理数/分）",
    scores_note: "1回の実行はJVMの1回の起動に当たります。公表値は記載されているとおりです。別のマシンで本来のベンチマークを動かしたもの\
                  なので、比べられるのは向上率であり、スコアそのものではありません。",
    parts: "crypto.aesの1処理にかかる時間の内訳（1スレッドあたりの秒数）",
    state: "加速",
    whole: "全体",
    share: "AESの割合",
    trap: "crypto.aesの大半は、専用の命令を持つCPUがない3DESの処理です。スコアからAESの速さはほとんど分かりません。AESは単独でも測り、\
           3DESは、単独で測っていない場合は残りの時間としました。",
    what: "処理",
    size: "サイズ",
    worth: "オン/オフ",
    equal_mark: "「=」は、差が認められないことを表します。",
    with_flag: "フラグ指定時",
    left: "指定なしとの比",
    choose: "新しいJDKを、フラグを指定せずに使うのが適切な設定です。JVMは暗号命令を自動的に使いますが、それは1万回ほど呼び出され、最適化\
             コンパイルが済んだ後のことです。短時間で終わるプログラムでは、効果はわずかです。組み込みルーチンを1つでも無効にすると\
             （`-XX:-UseAESIntrinsics`、`-XX:-UseGHASHIntrinsics`など）、GCMの速さの大半が失われます。CPUにあるはずの命令が\
             見えない場合は（`kasoku cpu`で確認できます）、ハイパーバイザーが隠しています。",
    run_number: |number| format!("{number}回目"),
    published: |machine, year| match year {
        Some(year) => format!("{machine}（公表値、{year}年）"),
        None => format!("{machine}（公表値）"),
    },
    ciphers: |unit| format!("Javaでの暗号処理（{unit}）"),
    flags: |unit| format!("JVMのフラグを1つ指定した場合（{unit}）"),
    sentence,
};

/// The sentence for a finding.
pub(super) fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Accelerated { algorithm, operation, bytes, gains } => {
            let gains: Vec<String> = gains.iter().map(|(who, ratio)| format!("{who}で{}倍", times(*ratio))).collect();
            let what = (WORDS.operation)(*operation);
            let title = algorithm.title();
            format!(
                "Javaでの{title}の{what}は、CPUの暗号命令により{}の速さになります（{}）。",
                gains.join("、"),
                size(*bytes)
            )
        }
        Finding::Faster { algorithm, operation, bytes, faster, slower, ratio } => {
            let what = (WORDS.operation)(*operation);
            let title = algorithm.title();
            format!("{title}の{what}は、{faster}では{slower}の{}倍の速さです（{}）。", times(*ratio), size(*bytes))
        }
        Finding::Flag { algorithm, operation, bytes, with_flag, ratio } => {
            let what = (WORDS.operation)(*operation);
            let title = algorithm.title();
            format!(
                "{title}の{what}は、フラグを外すと{with_flag}の{}倍の速さになります（{}）。",
                times(*ratio),
                size(*bytes)
            )
        }
        Finding::Score { stack, improvement, aes: Some((ratio, share)), .. } => format!(
            "crypto.aes（{stack}）の向上率は{} %ですが、AES単独では{}倍の速さになっています。AESが占めるのは処理時間の{}だけで、\
             残りは3DESです。",
            points(*improvement),
            times(*ratio),
            percent(*share)
        ),
        Finding::Score { stack, improvement, aes: None, .. } => {
            format!("crypto.aes（{stack}）の向上率は{} %です。", points(*improvement))
        }
    }
}

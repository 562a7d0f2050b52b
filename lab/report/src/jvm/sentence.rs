//! What a run shows about Java, in words.

use super::finding::JvmFinding;
use crate::language::{and, messages, say};
use crate::quantity::{percent, points, size, times};
use crate::transfer::more;
use kasoku_model::language::Language::{self, English};

impl JvmFinding {
    /// The finding as a sentence.
    pub(crate) fn sentence(&self, language: Language) -> String {
        let operation_in = messages(language).words.operation;
        match self {
            JvmFinding::Accelerated { algorithm, operation, bytes, gains } => {
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
            JvmFinding::Faster { algorithm, operation, bytes, faster, slower, ratio } => {
                let (title, what, size) = (algorithm.title(), operation_in(*operation), size(*bytes));
                let times = times(*ratio);
                say!(
                    language,
                    "{title} {what} in {faster} is {times} times as fast as in {slower} ({size}).",
                    "{title}の{what}は、{faster}では{slower}の{times}倍の速さです（{size}）。"
                )
            }
            JvmFinding::Flag { algorithm, operation, bytes, with_flag, ratio } => {
                let (title, what, size) = (algorithm.title(), operation_in(*operation), size(*bytes));
                let times = times(*ratio);
                say!(
                    language,
                    "{title} {what} is {times} times as fast without the flag of {with_flag} ({size}).",
                    "{title}の{what}は、フラグを外すと{with_flag}の{times}倍の速さになります（{size}）。"
                )
            }
            JvmFinding::Serves { suite, who, own, sends, cpu } => {
                let (title, cpu) = (suite.title(), more(*cpu, ["", ""], true, language));
                match sends.map(times) {
                    Some(times) => say!(
                        language,
                        "An HTTPS server in Java ({title}) sends {times} times as much with {who} as with {own}; CPU \
                         time for a gigabyte: {cpu}.",
                        "JavaのHTTPSサーバー（{title}）が送る量は、{who}では{own}の{times}倍です。1 GBあたりのCPU時間\
                         は{cpu}。"
                    ),
                    None => say!(
                        language,
                        "In what an HTTPS server in Java ({title}) sends, no difference between {who} and {own} is \
                         shown; CPU time for a gigabyte: {cpu}.",
                        "JavaのHTTPSサーバー（{title}）が送る量には、{who}と{own}の間で差は認められません。1 GBあたり\
                         のCPU時間は{cpu}。"
                    ),
                }
            }
            JvmFinding::Score { library, improvement, aes: Some((ratio, share)), .. } => {
                let (improvement, times, share) = (points(*improvement), times(*ratio), percent(*share));
                say!(
                    language,
                    "crypto.aes in {library}: {improvement} % more operations with the CPU’s instructions, though AES \
                     by itself is {times} times as fast: AES is {share} of its time, 3DES the rest.",
                    "crypto.aes（{library}）の向上率は{improvement} %ですが、AES単独では{times}倍の速さになっていま\
                     す。AESが占めるのは処理時間の{share}だけで、残りは3DESです。"
                )
            }
            JvmFinding::Score { library, improvement, aes: None, .. } => {
                let improvement = points(*improvement);
                say!(
                    language,
                    "crypto.aes in {library}: {improvement} % more operations with the CPU’s instructions.",
                    "crypto.aes（{library}）の向上率は{improvement} %です。"
                )
            }
        }
    }
}

//! Steps in the cost by size.

use super::say::{say, subject};
use crate::quantity::{digits, times};
use kasoku_model::language::Language::{self, English, Japanese};
use kasoku_model::steps::{CostLine, DetectionMethod, Rest, Step};

subject! {
    /// Steps in the cost by size.
    StepMessages {
        texts {
            title: "Steps" | "段差";
            and: "; " | "、";
            sizes_heading: "sizes" | "サイズ";
            counted: "counted" | "数え方";
            fixed: "fixed, ns" | "固定費 (ns)";
            per_byte: "ns/byte" | "ns/バイト";
            cycles: "cycles/byte" | "サイクル/バイト";
            cause_unknown: "Why: cause unknown." | "理由：不明です。";
            nothing:
                "Nothing here was measured at four sizes or more, so nothing can be said of steps. \
                 A sweep shows them: kasoku run primitives --algorithms aes-128-ctr --libraries openssl --sizes sweep"
                | "4つ以上のサイズで測定されたものがないため、段差は判定できません。掃引すると分かります：\
                   kasoku run primitives --algorithms aes-128-ctr --libraries openssl --sizes sweep";
            incomplete:
                "INCOMPLETE: this run did not reach its end. What is there is fitted."
                | "未完了：この測定は最後まで終わっていません。残っている値だけで判定しています。";
            reading:
                "fixed: where the line meets no bytes at all, which for lines that begin late may be below zero"
                | "固定費は直線を0バイトまで延長した値で、大きいサイズから始まる直線では負になることがあります";
        }
        sentences {
            sentence(about: &str, what: &str): "{about}: {what}." | "{about}：{what}。";
            absence(name: &str, from: usize, reason: &str):
                "{name}: No jump at {from} bytes, where the same code has one on other machines. {reason}"
                | "{name}：同じコードでも、このマシンには{from}バイトでの段差がありません。{reason}";
            cause(reason: &str): "Why: {reason}" | "理由：{reason}";
            none_at_all(curves: usize):
                "No steps: in all of {curves}, operations cost what a fixed cost and a cost per byte make of them."
                | "段差はありません。{curves}件とも、固定費とバイト単価だけで説明できます。";
            costs(before: &str, after: &str):
                "a byte costs {before} ns before and {after} ns after"
                | "バイト単価は{before} nsから{after} nsに変化";
            code_paths(before: &str, after: &str):
                "code path {before} before, {after} after" | "コードパスは{before}から{after}へ";
            threads(threads: u64): "{threads} threads" | "{threads}スレッド";
        }
        cases {
            sizes(count: usize, rule: DetectionMethod) in language -> String: match rule {
                DetectionMethod::Sweep => say!(language, "{count} sizes swept", "{count}サイズを掃引"),
                DetectionMethod::Table => say!(
                    language,
                    "{count} sizes, judged by what a fixed cost and a cost per byte can make",
                    "{count}サイズ（固定費とバイト単価で説明できるかどうかで判定）"
                ),
            };
            form(line: CostLine) in language -> String: form(line, language);
            place(step: &Step) in language -> String: {
                let Step { before_bytes: before, at_bytes: at, .. } = step;
                match step.is_placed() {
                    true => say!(language, "At {at} bytes", "{at}バイト"),
                    false => say!(
                        language,
                        "Between {before} and {at} bytes (nothing was measured between)",
                        "{before}バイトと{at}バイトの間（間のサイズは測定なし）"
                    ),
                }
            };
            jump(step: &Step) in language -> String: {
                let (at, faster, slower) = (step.at_bytes, times(step.jump), times(1.0 / step.jump));
                match step.jump >= 1.0 {
                    true => say!(
                        language,
                        "{faster} times as fast at {at} bytes as the line before, drawn on",
                        "{at}バイトでは、手前の直線を延長した値の{faster}倍の速さ"
                    ),
                    false => say!(
                        language,
                        "{slower} times as long at {at} bytes as by the line before, drawn on",
                        "{at}バイトでは、手前の直線を延長した値の{slower}倍の時間"
                    ),
                }
            };
            none(names: &[String]) in language -> String: match language {
                English => format!("No step in {}.", names.join(", ")),
                Japanese => format!("段差なし：{}", names.join("、")),
            };
        }
    }
}

fn form(line: CostLine, language: Language) -> String {
    let (unit, more) = (line.unit_bytes, digits(line.rest_ns));
    match line.rest {
        Rest::Whole if unit == 1 => String::new(),
        Rest::Whole => say!(language, "in whole units of {unit} B", "{unit} B単位（切り上げ）"),
        Rest::PerByte => say!(
            language,
            "a rest of {unit} B: {more} ns/byte more",
            "{unit} Bに満たない端数は1バイトあたり +{more} ns"
        ),
        Rest::PerMissingByte => say!(
            language,
            "in units of {unit} B: {more} ns for each byte missing",
            "{unit} B単位、不足1バイトあたり +{more} ns"
        ),
    }
}

//! Steps in the cost by size.

use super::say::{pick, say, subject};
use crate::quantity::{digits, times};
use kasoku_model::language::Language::{self, English, Japanese};
use kasoku_model::steps::{CostForm, DetectionMethod};

subject! {
    /// Steps in the cost by size.
    StepMessages {
        texts {
            title: "Steps" | "段差";
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
            absence(name: &str, reason: &str): "{name}: {reason}" | "{name}：{reason}";
            cause(reason: &str): "Why: {reason}" | "理由：{reason}";
            none_at_all(curves: usize):
                "No steps: in all of {curves}, operations cost what a fixed cost and a cost per byte make of them."
                | "段差はありません。{curves}件とも、固定費とバイト単価だけで説明できます。";
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
            form(line: CostForm) in language -> String: form(line, language);
            place(place: &StepPlace) in language -> String: match place {
                StepPlace { at, is_placed: true, .. } => say!(language, "At {at} bytes", "{at}バイト"),
                StepPlace { before, at, .. } => say!(
                    language,
                    "Between {before} and {at} bytes (nothing was measured between)",
                    "{before}バイトと{at}バイトの間（間のサイズは測定なし）"
                ),
            };
            change(change: &StepChange) in language -> String: change.told(language);
            none(names: &[String]) in language -> String: match language {
                English => format!("No step in {}.", names.join(", ")),
                Japanese => format!("段差なし：{}", names.join("、")),
            };
        }
    }
}

/// Where a step is.
pub(crate) struct StepPlace {
    /// The last size before it.
    pub(crate) before: usize,
    /// The first size after it.
    pub(crate) at: usize,
    /// Whether these are neighbours, so that the place is known.
    pub(crate) is_placed: bool,
}

/// What changes at a step.
pub(crate) struct StepChange {
    /// The size that `jump` is of.
    pub(crate) at: usize,
    /// How many times as fast.
    pub(crate) jump: Option<f64>,
    /// Nanoseconds a byte before and after.
    pub(crate) per_byte: Option<[f64; 2]>,
    /// The code paths before and after, where they differ.
    pub(crate) code_paths: Option<[String; 2]>,
    /// The share of resamples that have the step.
    pub(crate) support: Option<f64>,
}

impl StepChange {
    fn told(&self, language: Language) -> String {
        let at = self.at;
        let jump = self.jump.map(|jump| match jump {
            jump if jump >= 1.0 => {
                let times = times(jump);
                say!(
                    language,
                    "{times} times as fast at {at} bytes as the line before, drawn on",
                    "{at}バイトでは、手前の直線を延長した値の{times}倍の速さ"
                )
            }
            jump => {
                let times = times(1.0 / jump);
                say!(
                    language,
                    "{times} times as long at {at} bytes as by the line before, drawn on",
                    "{at}バイトでは、手前の直線を延長した値の{times}倍の時間"
                )
            }
        });
        let per_byte = self.per_byte.map(|costs| {
            let [before, after] = costs.map(digits);
            say!(
                language,
                "a byte costs {before} ns before and {after} ns after",
                "バイト単価は{before} nsから{after} nsに変化"
            )
        });
        let code_paths = self.code_paths.as_ref().map(|[before, after]| {
            say!(language, "code path {before} before, {after} after", "コードパスは{before}から{after}へ")
        });
        let support = self.support.map(|support| {
            let share = support * 100.0;
            say!(language, "in {share:.0} % of the resamples", "再標本の{share:.0} %で確認")
        });
        let parts: Vec<String> = [jump, per_byte, code_paths, support].into_iter().flatten().collect();
        parts.join(pick(language, "; ", "、"))
    }
}

fn form(form: CostForm, language: Language) -> String {
    match form {
        CostForm::Bytes => String::new(),
        CostForm::Units { unit } => say!(language, "in whole units of {unit} B", "{unit} B単位（切り上げ）"),
        CostForm::Rest { unit, more_ns_per_byte } => {
            let more = digits(more_ns_per_byte);
            say!(
                language,
                "a rest of {unit} B: {more} ns/byte more",
                "{unit} Bに満たない端数は1バイトあたり +{more} ns"
            )
        }
        CostForm::Filled { unit, ns_per_missing_byte } => {
            let more = digits(ns_per_missing_byte);
            say!(
                language,
                "in units of {unit} B: {more} ns for each byte missing",
                "{unit} B単位、不足1バイトあたり +{more} ns"
            )
        }
        CostForm::Ragged { unit, more_ns } => {
            let more = digits(more_ns);
            say!(language, "a rest of {unit} B: {more} ns more", "{unit} Bに満たない端数があると +{more} ns")
        }
    }
}
